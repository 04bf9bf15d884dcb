// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.module;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What modules say of themselves, also to tests that run on the class path. */
public final class Modules {
  private Modules() {}

  /** The jar or folder that a class was loaded from. */
  public static Path place(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** The module that is where the class was loaded from. */
  public static ModuleDescriptor descriptor(Class<?> type) {
    Set<ModuleReference> found = ModuleFinder.of(place(type)).findAll();
    if (found.size() != 1) {
      throw new AssertionError(place(type) + " has not one module, but " + found);
    }
    return found.iterator().next().descriptor();
  }

  /** The packages that a module exports to all. */
  public static Set<String> exportedToAll(ModuleDescriptor module) {
    return module.exports().stream()
        .filter(exported -> !exported.isQualified())
        .map(ModuleDescriptor.Exports::source)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The classes that a module provides for a service. */
  public static Collection<String> providers(ModuleDescriptor module, Class<?> service) {
    return module.provides().stream()
        .filter(provides -> provides.service().equals(service.getName()))
        .flatMap(provides -> provides.providers().stream())
        .toList();
  }
}
