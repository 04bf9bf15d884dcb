// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.jspecify.annotations.Nullable;

/** Asks before each call of a store, of its files and of its locks. */
public final class AskingStore extends ForwardingStore {
  private final Question question;

  /** What is asked before a call. */
  @FunctionalInterface
  public interface Question {
    /**
     * May refuse the call, or let time pass.
     *
     * @param call the name of the method
     * @param about a name, a position or a length, if there is one
     */
    void before(String call, @Nullable Object about) throws IOException;
  }

  /** The same store, with a question before each call. */
  public AskingStore(Store store, Question question) {
    super(store);
    this.question = question;
  }

  @Override
  public StoreFile open(String name, Access access) throws IOException {
    question.before("open", name);
    return new AskingFile(super.open(name, access), question);
  }

  @Override
  public Optional<StoreFile> openUncached(String name) throws IOException {
    question.before("openUncached", name);
    return store().openUncached(name).map(file -> new AskingFile(file, question));
  }

  @Override
  public boolean exists(String name) throws IOException {
    question.before("exists", name);
    return super.exists(name);
  }

  @Override
  public List<String> list() throws IOException {
    question.before("list", null);
    return super.list();
  }

  @Override
  public void rename(String from, String to) throws IOException {
    question.before("rename", from);
    super.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    question.before("delete", name);
    super.delete(name);
  }

  @Override
  public void forceDirectory() throws IOException {
    question.before("forceDirectory", null);
    super.forceDirectory();
  }

  @Override
  public long freeSpace() throws IOException {
    question.before("freeSpace", null);
    return super.freeSpace();
  }

  @Override
  public StoreLock lock(String name) throws IOException {
    question.before("lock", name);
    return new AskingLock(super.lock(name), question);
  }

  private static final class AskingFile extends ForwardingFile {
    private final Question question;

    AskingFile(StoreFile file, Question question) {
      super(file);
      this.question = question;
    }

    @Override
    public boolean isNamed() throws IOException {
      question.before("isNamed", null);
      return super.isNamed();
    }

    @Override
    public void lock() throws IOException {
      question.before("lock", null);
      super.lock();
    }

    @Override
    public long size() throws IOException {
      question.before("size", null);
      return super.size();
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      question.before("read", position);
      return super.read(position, target);
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      question.before("write", position);
      super.write(position, source);
    }

    @Override
    public void truncate(long size) throws IOException {
      question.before("truncate", size);
      super.truncate(size);
    }

    @Override
    public void force() throws IOException {
      question.before("force", null);
      super.force();
    }

    @Override
    public void close() throws IOException {
      question.before("close", null);
      super.close();
    }
  }

  private record AskingLock(StoreLock lock, Question question) implements StoreLock {
    @Override
    public String name() {
      return lock.name();
    }

    @Override
    public boolean isHeld() {
      return lock.isHeld();
    }

    @Override
    public boolean isNamed() throws IOException {
      question.before("isNamed", null);
      return lock.isNamed();
    }

    @Override
    public void close() throws IOException {
      question.before("close", null);
      lock.close();
    }
  }
}
