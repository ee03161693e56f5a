# Commands for gdb in an execution that faultline replays: fl-step, fl-threads,
# fl-why.  `faultline replay --gdb SCHEDULE FILE...` starts gdb with them.
set confirm off
set pagination off
set breakpoint pending on
set print thread-events off
# SIGILL: by it the engine stops at accesses that have no hook.
handle SIGALRM SIGVTALRM SIGPROF SIGXCPU SIGILL nostop noprint pass

# Called before each step, with the thread and where it stands.
break fl_debug_step
set $fl_marker = $bpnum
commands
  silent
end
disable $fl_marker
# Called when the execution has come to its end.
break fl_debug_end
commands
  silent
  printf "The execution has ended: %s\n", (char *)$rdi
end

define fl-step
  if $pc != (unsigned long)&fl_debug_step
    enable $fl_marker
    continue
    disable $fl_marker
  end
  if $pc == (unsigned long)&fl_debug_step
    set $fl_thread = (int)$rdi
    set $fl_pc = (unsigned long)$rsi
    if $fl_pc
      tbreak *$fl_pc
      commands
        silent
      end
      continue
      printf "T%d: ", $fl_thread
      list *($fl_pc - 1),*($fl_pc - 1)
    else
      printf "T%d begins or ends a call\n", $fl_thread
      tbreak **(unsigned long *)$rsp
      commands
        silent
      end
      continue
    end
  end
end
document fl-step
Lets the next thread of the schedule make its step, stops in its code, and shows
the line of the step.
end

define fl-threads
  set $fl_i = 0
  while $fl_i < 32
    if (*(unsigned *)&fl_debug_threads >> $fl_i) & 1
      set $fl_at = ((unsigned long *)&fl_debug_places)[$fl_i]
      if $fl_at
        printf "T%d before ", $fl_i
        list *($fl_at - 1),*($fl_at - 1)
      else
        printf "T%d before a call or its end\n", $fl_i
      end
    end
    set $fl_i = $fl_i + 1
  end
end
document fl-threads
Where the threads stand that could make the next step.
end

define fl-why
  shell cat "$FAULTLINE_WHY"
end
document fl-why
The report of this execution: what is wrong with it, and why.
end
