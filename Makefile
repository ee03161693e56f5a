# A short way to what CMake does; `cmake --list-presets` shows the other builds.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# A build folder keeps the generator that it was made with.
CONFIGURE = scripts/quietly cmake --log-level=NOTICE --preset
BUILD = scripts/quietly cmake --build -j$(JOBS) --preset
export CMAKE_GENERATOR ?= $(if $(shell command -v ninja 2>/dev/null),Ninja,Unix Makefiles)

# The program and what `make install` installs.
all: configure
	@$(BUILD) release --target program

configure:
	@$(CONFIGURE) release

# The tests too.
build: configure
	@$(BUILD) release

deps:
	@scripts/install-deps build

test-deps:
	@scripts/install-deps build test

# Finds the fault of the bundled stack: status 1 is what a fault gives.
demo: deps
	@$(MAKE) --no-print-directory configure
	@$(BUILD) release --target faultline
	@build/faultline examples/afek_stack.c; status=$$?; \
	if [ $$status -ne 1 ]; then \
	  echo "demo: wanted status 1 (fault found), got $$status" >&2; exit 1; \
	fi

check:
	@missing=$$(scripts/install-deps --missing build test | tr '\n' ' '); \
	echo "check: all tests, about 15 minutes on two processors;" \
	  "installs: $${missing:-nothing}"
	@scripts/install-deps build test
	@$(MAKE) --no-print-directory build
	@tests/run-preset release -j2

# The tests of the layers once more, with the address and undefined behaviour
# sanitizers and the slow checks.
check-asan: test-deps
	@$(CONFIGURE) asan
	@$(BUILD) asan --target layer-tests
	@tests/run-preset asan -j2 -L '^layer$$'

# What takes hours: all levels of optimisation, packages, random programs.
check-nightly: test-deps
	@scripts/install-deps optional
	@$(MAKE) --no-print-directory build
	@tests/run-preset release -j2 -C nightly -L '^nightly$$'

# All of examples/gallery, right and wrong: build/gallery/index.html.
gallery: deps
	@$(MAKE) --no-print-directory all
	@scripts/gallery build/gallery

# Objects of libraries that come with the distribution: docs/found.md.
found: test-deps
	@$(MAKE) --no-print-directory all
	@scripts/found --install

bench: test-deps
	@$(MAKE) --no-print-directory all
	@cmake --build --preset release --target bench

# The tables of the five papers beside ours (ten minutes; QUICK=1: two).
papers: test-deps
	@$(MAKE) --no-print-directory all
	@bench/papers/run $(if $(QUICK),--quick)

install: all
	DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'

# The pictures of docs/, anew.
docs-pictures: test-deps
	@$(MAKE) --no-print-directory all
	@cmake --build --preset release --target docs-pictures

# The sources as a file: what git knows, as it is here now; without git, all.
VERSION = $(shell sed -n 's/^project.faultline VERSION \([0-9.]*\).*/\1/p' \
  CMakeLists.txt)
DIST = build/faultline-$(VERSION).tar.gz
dist:
	@mkdir -p build
	@{ git ls-files -z 2>/dev/null || find . -path ./build -prune -o \
	  -name .faultline -prune -o -type f -printf '%P\0'; } | tar --null -T - --sort=name --owner=0 --group=0 \
	  --numeric-owner --mtime='1970-01-01 00:00Z' \
	  --transform 's,^,faultline-$(VERSION)/,' -cf - | gzip -n9 >$(DIST).tmp
	@mv $(DIST).tmp $(DIST)
	@echo $(DIST)

# A Debian package, made of the same sources.
deb:
	@scripts/install-deps build deb
	@$(MAKE) --no-print-directory dist
	@rm -rf build/deb && mkdir -p build/deb
	@tar -xzf $(DIST) -C build/deb
	@echo 'deb: compiling; the log is build/deb/log'
	@cd build/deb/faultline-$(VERSION) && \
	  dpkg-buildpackage -us -uc -b >../log 2>&1 || { tail -30 ../log; exit 1; }
	@ls build/deb/*.deb

format:
	@find include src bench tests/unit tests/agree tests/*.h -name '*.[ch]' | \
	  xargs clang-format -i

clean:
	rm -rf build

.PHONY: all build configure deps test-deps demo check check-asan check-nightly gallery \
  found bench papers docs-pictures install dist deb format clean
