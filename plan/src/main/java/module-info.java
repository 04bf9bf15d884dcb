// SPDX-License-Identifier: Apache-2.0

/**
 * Reliability models, a failure simulator, and advice on checkpoints from a run's own events.
 *
 * <p>Models and simulator are for all. How answers are drawn is for Cairn's own modules.
 */
// "module": those that packages are exported to are built later.
@SuppressWarnings({"module", "requires-automatic"})
module org.cairn.plan {
  requires org.cairn.core;
  requires java.desktop;
  requires java.management;
  requires java.xml;
  // Interfaces of org.w3c.dom that Batik implements, and asks nobody for.
  requires jdk.xml.dom;
  requires org.apache.commons.numbers.gamma;
  requires org.apache.commons.numbers.rootfinder;
  requires org.apache.commons.rng.api;
  requires org.apache.commons.rng.sampling;
  requires org.apache.commons.rng.simple;
  requires org.apache.commons.statistics.distribution;
  requires org.apache.xmlgraphics.batik.dom;
  requires org.apache.xmlgraphics.batik.svggen;
  requires tools.jackson.databind;
  // Annotations for compilers.
  requires static org.jspecify;

  exports org.cairn.plan.differential;
  exports org.cairn.plan.failure;
  exports org.cairn.plan.hash;
  exports org.cairn.plan.interval;
  exports org.cairn.plan.multilevel;
  exports org.cairn.plan.replication;
  exports org.cairn.plan.run;
  exports org.cairn.plan.simulate;
  exports org.cairn.plan.chart to
      org.cairn.cli;
  exports org.cairn.plan.figure to
      org.cairn.cli;
}
