# A short way to what CMake does; `cmake --list-presets` shows the other builds.
PREFIX ?= /usr/local

all: build

configure:
	@cmake --preset release --log-level=NOTICE >/dev/null

build: configure
	@cmake --build --preset release

deps:
	@scripts/install-deps

# Finds the fault of the bundled stack: status 1 is what a fault gives.
demo: deps
	@$(MAKE) --no-print-directory build
	@build/faultline examples/afek_stack.c; status=$$?; \
	if [ $$status -ne 1 ]; then \
	  echo "demo: wanted status 1 (fault found), got $$status" >&2; exit 1; \
	fi

check: deps
	@$(MAKE) --no-print-directory build
	@tests/run-preset release -j2

# The tests of the layers once more, with the address and undefined behaviour
# sanitizers and the slow checks.
check-asan: deps
	@cmake --preset asan --log-level=NOTICE >/dev/null
	@cmake --build --preset asan --target layer-tests
	@tests/run-preset asan -j2 -L '^layer$$'

# What takes hours: all levels of optimisation, packages, random programs.
check-nightly: deps
	@$(MAKE) --no-print-directory build
	@tests/run-preset release -j2 -C nightly -L '^nightly$$'

# All of examples/gallery, right and wrong: build/gallery/index.html.
gallery: deps
	@$(MAKE) --no-print-directory build
	@scripts/gallery build/gallery

bench: deps
	@$(MAKE) --no-print-directory build
	@cmake --build --preset release --target bench

# The tables of the five papers beside ours (ten minutes; QUICK=1: two).
papers: deps
	@$(MAKE) --no-print-directory build
	@bench/papers/run $(if $(QUICK),--quick)

install: build
	DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'

# The pictures of docs/, anew.
docs-pictures: build
	@cmake --build --preset release --target docs-pictures

# The sources as a file: what git knows, as it is here now.
VERSION = $(shell sed -n 's/^project.faultline VERSION \([0-9.]*\).*/\1/p' \
  CMakeLists.txt)
DIST = build/faultline-$(VERSION).tar.gz
dist:
	@mkdir -p build
	@git ls-files -z | tar --null -T - --sort=name --owner=0 --group=0 \
	  --numeric-owner --mtime='1970-01-01 00:00Z' \
	  --transform 's,^,faultline-$(VERSION)/,' -cf - | gzip -n9 >$(DIST).tmp
	@mv $(DIST).tmp $(DIST)
	@echo $(DIST)

# A Debian package, made of the same sources.
deb: deps dist
	@rm -rf build/deb && mkdir -p build/deb
	@tar -xzf $(DIST) -C build/deb
	@cd build/deb/faultline-$(VERSION) && dpkg-buildpackage -us -uc -b
	@ls build/deb/*.deb

format:
	@find include src bench tests/unit tests/agree tests/*.h -name '*.[ch]' | \
	  xargs clang-format -i

clean:
	rm -rf build

.PHONY: all build configure deps demo check check-asan check-nightly gallery \
  bench papers docs-pictures install dist deb format clean
