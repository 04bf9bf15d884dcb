// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.cairn.clock.Clock;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * A program and all threads that it gets from {@link Supply}, as tasks of which one runs at a time,
 * in an order that comes from a seed, in a time of its own: what happens is the same each time.
 *
 * <pre>{@code
 * Simulation simulation = new Simulation(seed);
 * simulation.run(() -> Ranks.run(4, ranks -> program(ranks, simulation.clock())));
 * }</pre>
 *
 * <p>Tasks are virtual threads, carried by the thread that calls {@link #run}. One runs until it
 * waits, ends, or comes to a {@linkplain Supply#step place where another may go on}. So whatever
 * the JDK's locks, queues and futures do stays as it is; only waits that end by themselves have to
 * come through {@link Supply} or {@link #clock}.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Time moves only when no task can run, to the nearest moment that one waits for.
 *   <li>If no task can run and none waits for a moment, the run ends with a {@link HangException}
 *       that shows where each of them waits.
 *   <li>A task of a {@linkplain #kill killed} group never runs again: not even its {@code finally}.
 *   <li>If a task waits for a monitor, or is woken by a thread that is no task, what happens would
 *       depend on the machine: the run fails and says where.
 * </ol>
 *
 * <p>The JVM must be told {@code --add-opens java.base/java.lang=ALL-UNNAMED}, to make virtual
 * threads with a scheduler of our own, and {@code -Djdk.trackAllThreads=false}, so that it forgets
 * tasks that never end.
 */
public final class Simulation implements Supply.Control {
  private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  /** More than any history that comes to an end. */
  private static final long MOST_SLICES = 1_000_000;

  private static final long SHORTEST_PAUSE = 1_000_000;

  /** The thread of the JDK that wakes who waited for a monitor. */
  private static final String UNBLOCKER = "VirtualThread-unblocker";

  /** How long a thread that is no task may hold a monitor, in real time. */
  private static final long LONGEST_MONITOR = 2_000_000_000;

  /** Who uses the process at the moment: all tasks of a group live and die together. */
  private static final String NOBODY = "";

  /** What a simulation does. */
  @FunctionalInterface
  public interface Body {
    /** Runs as the first task. */
    void run() throws Exception;
  }

  private static final Comparator<Task> BY_NUMBER = Comparator.comparingInt(task -> task.number);

  private final Random random;
  private final Trace trace;
  private final List<Task> tasks = new ArrayList<>();
  private final List<Task> ready = new ArrayList<>();
  private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
  private final Set<String> dead = new HashSet<>();
  private final Map<String, Long> dooms = new HashMap<>();
  private final Map<String, Pause> pauses = new HashMap<>();

  /** Groups that stand still, and their tasks that could run; guarded by {@code ready}. */
  private final Set<String> paused = new HashSet<>();

  private final List<Task> held = new ArrayList<>();
  private final List<Arena> arenas = new ArrayList<>();
  private Supply.Control requests = (kind, amount) -> {};

  private @Nullable Thread carrier;
  private volatile @Nullable Task running;

  /** Whether the task that runs waited for a monitor of the JDK, and has it now. */
  private volatile boolean resumed;

  private long now;
  private long alarmsMade;
  private long slices;
  private int likelihood = 4;
  private int delays;
  private long longestDelay;
  private boolean over;
  private volatile @Nullable Throwable failure;

  /** What happens is decided by the seed alone. */
  public Simulation(long seed) {
    this.random = new Random(seed);
    this.trace = new Trace();
  }

  // ---------------------------------------------------------------- what the test says

  /** Asks this control whenever a task wants memory or a thread. */
  public Simulation supplying(Supply.Control control) {
    requests = control;
    return this;
  }

  /** At one of so many places where another task may go on, one does; 0 for never. */
  public Simulation switchingOnceIn(int places) {
    likelihood = places;
    return this;
  }

  /**
   * At one of so many places where another task may go on, what comes next takes a time up to this:
   * a disk that is slow to answer, a message that is slow to leave. 0 for never.
   */
  public Simulation delayingOnceIn(int places, Duration longest) {
    delays = places;
    longestDelay = longest.toNanos();
    return this;
  }

  /** Tells each line of the trace as it happens. */
  public Simulation telling(Consumer<String> listener) {
    trace.tell(listener);
    return this;
  }

  /** Runs the body to its end, whatever becomes of the other tasks; throws what it throws. */
  public Trace run(Body body) throws Exception {
    Throwable[] thrown = new Throwable[1];
    carrier = Thread.currentThread();
    Running.begin();
    try {
      Thread main =
          thread(
              () -> {
                try {
                  body.run();
                } catch (Throwable e) {
                  thrown[0] = e;
                }
              },
              "main");
      main.start();
      while (main.isAlive() && failure == null) {
        slice();
      }
    } finally {
      end();
    }
    rethrow(failure);
    rethrow(thrown[0]);
    return trace;
  }

  private void rethrow(@Nullable Throwable thrown) throws Exception {
    if (thrown != null) {
      thrown.addSuppressed(
          new IllegalStateException(
              "what happened last:\n  " + String.join("\n  ", trace.lines())));
    }
    switch (thrown) {
      case null -> {}
      case Exception e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(thrown);
    }
  }

  private void end() {
    synchronized (ready) {
      over = true;
      ready.clear();
    }
    Running.end();
    // Those of tasks that never ended; nobody will close them.
    for (Arena arena : arenas) {
      if (arena.scope().isAlive()) {
        arena.close();
      }
    }
  }

  // ---------------------------------------------------------------- what tasks say

  /** The calling task, and all that it makes from now on, belong to a group. */
  public void enter(String group) {
    current().group = group;
  }

  /** The group of the calling task; of none, the empty string. */
  public String group() {
    Task task = running;
    return task == null || !isMine() ? NOBODY : task.group;
  }

  /** Ends a group where it stands; does not return to a task of it. */
  public void kill(String group) {
    note("kill " + group);
    dead.add(group);
    synchronized (ready) {
      ready.removeIf(task -> task.group.equals(group));
      held.removeIf(task -> task.group.equals(group));
    }
    while (current().group.equals(group)) {
      LockSupport.park(this);
    }
  }

  /** Kills a group when it comes to its n-th step from now, counted from 1. */
  public void killAt(String group, long n) {
    dooms.put(group, n);
  }

  /** Stops a group for a time when it comes to its n-th step from now, counted from 1. */
  public void pauseAt(String group, long n, Duration time) {
    pauses.put(group, new Pause(n, time));
  }

  /** Whether a group was killed. */
  public boolean isDead(String group) {
    return dead.contains(group);
  }

  /** Puts something into the trace. */
  public void note(String what) {
    Task task = running;
    if (task == null) {
      trace.add(now, NOBODY, NOBODY, -1, what);
    } else {
      trace.add(now, task.group, task.name, task.number, what);
    }
  }

  /** What is decided at random by the test: from the seed, too. */
  public Random random() {
    return random;
  }

  /** The time of the simulation. */
  public Clock clock() {
    return clock(Duration.ZERO);
  }

  /** The same, seen by somebody whose clock is wrong. */
  public Clock clock(Duration skew) {
    return new Clock() {
      @Override
      public Instant now() {
        return BEGINNING.plus(skew).plusNanos(now);
      }

      @Override
      public long nanos() {
        return now + skew.toNanos();
      }

      @Override
      public void pause(Duration time) throws InterruptedException {
        long end = now + time.toNanos();
        while (now < end && !Thread.interrupted()) {
          nap(this, end - now);
        }
        if (now < end) {
          throw new InterruptedException();
        }
      }
    };
  }

  // ---------------------------------------------------------------- what Cairn asks

  @Override
  public void requested(Supply.Kind kind, long amount) {
    requests.requested(kind, amount);
  }

  @Override
  public Arena sharedArena() {
    Arena arena = new LazyMemory(Arena.ofShared());
    arenas.add(arena);
    return arena;
  }

  @Override
  public Thread thread(Runnable work, String name) {
    Task maker = running;
    Task task = new Task(name, maker == null ? NOBODY : maker.group, work);
    tasks.add(task);
    return task.thread;
  }

  @Override
  public void nap(Object why, long nanos) {
    Thread me = Thread.currentThread();
    Alarm alarm =
        new Alarm(sum(now, Math.max(nanos, 1)), alarmsMade++, () -> LockSupport.unpark(me));
    alarms.add(alarm);
    LockSupport.park(why);
    alarms.remove(alarm);
  }

  @Override
  public void join(Thread thread, Duration limit) throws InterruptedException {
    await(() -> !thread.isAlive(), limit);
  }

  @Override
  public boolean join(ExecutorService pool, Duration limit) throws InterruptedException {
    return await(pool::isTerminated, limit);
  }

  @Override
  public boolean await(CompletableFuture<?> future, Duration limit) throws InterruptedException {
    Thread me = Thread.currentThread();
    // It only wakes up; what has become of the future is asked below.
    var _ = future.whenComplete((done, problem) -> LockSupport.unpark(me));
    long end = sum(now, limit.toNanos());
    while (!future.isDone() && now < end) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      nap(future, end - now);
    }
    return future.isDone();
  }

  /** Looks again and again, more and more rarely. */
  private boolean await(BooleanSupplier end, Duration limit) throws InterruptedException {
    long last = sum(now, limit.toNanos());
    long pause = SHORTEST_PAUSE;
    while (!end.getAsBoolean() && now < last) {
      clock().pause(Duration.ofNanos(Math.min(pause, last - now)));
      pause *= 2;
    }
    return end.getAsBoolean();
  }

  private static long sum(long time, long more) {
    return more > Long.MAX_VALUE - time ? Long.MAX_VALUE : time + more;
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // it is how a virtual thread steps aside
  public void step(String where) {
    note(where);
    dieIfDoomed();
    pauseIfTold();
    if (delays > 0 && random.nextInt(delays) == 0) {
      nap(this, random.nextLong(longestDelay));
    }
    if (likelihood > 0 && random.nextInt(likelihood) == 0) {
      Thread.yield();
    }
  }

  private void dieIfDoomed() {
    String group = current().group;
    Long left = dooms.computeIfPresent(group, (key, steps) -> steps - 1);
    if (left != null && left == 0) {
      kill(group);
    }
  }

  /** When a group is to stand still, and how long. */
  private record Pause(long left, Duration time) {}

  @SuppressWarnings("ThreadPriorityCheck") // it is how a virtual thread steps aside
  private void pauseIfTold() {
    String group = current().group;
    Pause told =
        pauses.computeIfPresent(group, (key, before) -> new Pause(before.left - 1, before.time));
    if (told != null && told.left == 0) {
      pauses.remove(group);
      note("pause " + group);
      pause(group, told.time);
      Thread.yield();
    }
  }

  private void pause(String group, Duration time) {
    synchronized (ready) {
      paused.add(group);
      ready.stream().filter(task -> task.group.equals(group)).forEach(held::add);
      ready.removeAll(held);
    }
    alarms.add(new Alarm(sum(now, time.toNanos()), alarmsMade++, () -> resume(group)));
  }

  private void resume(String group) {
    note("resume " + group);
    synchronized (ready) {
      paused.remove(group);
      List<Task> mine = held.stream().filter(task -> task.group.equals(group)).toList();
      held.removeAll(mine);
      mine.stream().filter(task -> !dead.contains(task.group)).forEach(this::addReady);
    }
  }

  // ---------------------------------------------------------------- the schedule

  /** One thread of the program. */
  private final class Task {
    private final int number = tasks.size();
    private final String name;
    private final Thread thread;
    private String group;

    /** What it does until it waits. */
    private Runnable next = () -> {};

    Task(String name, String group, Runnable work) {
      this.name = name;
      this.group = group;
      this.thread =
          VirtualThreads.make(
              turn -> wake(this, turn), Running.within(Simulation.this, work), name);
    }

    @Override
    public String toString() {
      return group + "/" + name + "#" + number;
    }
  }

  /** A moment that something waits for. */
  private record Alarm(long at, long number, Runnable ring) implements Comparable<Alarm> {
    @Override
    public int compareTo(Alarm other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  private Task current() {
    Task task = running;
    if (task == null || !isMine()) {
      throw new IllegalStateException(
          Thread.currentThread() + " is no task of this simulation, but uses it");
    }
    return task;
  }

  private boolean isMine() {
    Task task = running;
    return task != null && Thread.currentThread() == task.thread;
  }

  /** A task can run: it was started or woken, or has stepped aside. */
  private void wake(Task task, Runnable next) {
    synchronized (ready) {
      if (over || dead.contains(task.group)) {
        return;
      }
      task.next = next;
      if (Thread.currentThread() == carrier || isMine()) {
        if (paused.contains(task.group)) {
          held.add(task);
        } else {
          addReady(task);
        }
      } else if (task == running && Thread.currentThread().getName().equals(UNBLOCKER)) {
        resumed = true;
      } else {
        fail(task + " was woken by " + Thread.currentThread() + ", which is no task", task);
      }
    }
  }

  /** In their order: who wakes several at once may do so in any, such as that of a hash table. */
  private void addReady(Task task) {
    ready.add(-1 - Collections.binarySearch(ready, task, BY_NUMBER), task);
  }

  private void slice() {
    Task task = choose();
    running = task;
    trace.slice(now, task.group, task.name, task.number);
    do {
      resumed = false;
      task.next.run();
    } while (isResumed(task));
    running = null;
    if (task.thread.getState() == Thread.State.TIMED_WAITING) {
      fail(task + " waits for a time that is not the simulation's", task);
    }
    if (++slices > MOST_SLICES) {
      throw new HangException("no end after " + slices + " slices", stacks());
    }
  }

  /**
   * The JDK has monitors of its own, which a thread of the JDK may hold for a moment: the task goes
   * on before any other. If it is another task that holds the monitor, this one never comes back.
   */
  private boolean isResumed(Task task) {
    for (long start = System.nanoTime();
        !resumed && failure == null && isBlocked(task);
        Thread.onSpinWait()) {
      if (System.nanoTime() - start > LONGEST_MONITOR) {
        fail(task + " waits for a monitor that is held where another task can go on", task);
        return false;
      }
    }
    return resumed;
  }

  /** Whether it waits for a monitor, or just got it and is about to be woken. */
  private boolean isBlocked(Task task) {
    Thread.State state = task.thread.getState();
    synchronized (ready) {
      return state == Thread.State.BLOCKED
          || state == Thread.State.RUNNABLE && !ready.contains(task) && !held.contains(task);
    }
  }

  private Task choose() {
    while (true) {
      synchronized (ready) {
        if (!ready.isEmpty()) {
          return ready.remove(random.nextInt(ready.size()));
        }
      }
      Alarm alarm = alarms.poll();
      if (alarm == null) {
        throw new HangException("no task can run", stacks());
      }
      now = Math.max(now, alarm.at);
      alarm.ring.run();
    }
  }

  private void fail(String problem, Task task) {
    IllegalStateException found = new IllegalStateException(problem);
    found.setStackTrace(task.thread.getStackTrace());
    failure = found;
  }

  private String stacks() {
    StringBuilder text = new StringBuilder();
    for (Task task : tasks) {
      if (task.thread.isAlive() && !dead.contains(task.group)) {
        text.append(task).append('\n');
        for (StackTraceElement frame : task.thread.getStackTrace()) {
          text.append("    at ").append(frame).append('\n');
        }
      }
    }
    return text.toString();
  }
}
