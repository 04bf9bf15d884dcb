// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.ServiceLoader;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.convert.ConvertCommand;
import org.cairn.cli.demo.DemoCommand;
import org.cairn.cli.doctor.DoctorCommand;
import org.cairn.cli.export.ExportCommand;
import org.cairn.cli.guide.CompletionCommand;
import org.cairn.cli.guide.Footer;
import org.cairn.cli.guide.HelpCommand;
import org.cairn.cli.guide.InstallCommand;
import org.cairn.cli.guide.ManCommand;
import org.cairn.cli.hash.HashCommand;
import org.cairn.cli.inspect.DiffCommand;
import org.cairn.cli.inspect.LsCommand;
import org.cairn.cli.inspect.PruneCommand;
import org.cairn.cli.inspect.ScrubCommand;
import org.cairn.cli.inspect.ShowCommand;
import org.cairn.cli.inspect.VerifyCommand;
import org.cairn.cli.mesh.MeshCommand;
import org.cairn.cli.pack.AdviseCommand;
import org.cairn.cli.pack.PackCommand;
import org.cairn.cli.pack.UnpackCommand;
import org.cairn.cli.plan.PlanCommand;
import org.cairn.cli.prove.ProveCommand;
import org.cairn.cli.run.RunCommand;
import org.cairn.cli.terminal.Colours;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code cairn} command itself: options that all subcommands share, errors, exit codes. */
@Command(
    name = "cairn",
    description = "Looks after the checkpoints of programs that use Cairn.",
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Main.Version.class,
    footer = {
      "",
      "Examples:",
      "  cairn demo                          see a killed program come back, bit for bit",
      "  cairn demo --ranks 4                see a rank come back that has lost all its files",
      "  cairn run -n 4 heat2d               run a program on four ranks",
      "  cairn prove app.jar --result u.npy  see whether a program protects everything",
      "  cairn doctor /scratch/me            what the machine and a directory have, and lack",
      "  cairn ls checkpoints                what a directory of checkpoints holds",
      "  cairn verify checkpoints            check every block of every version",
      "  cairn scrub checkpoints             the same past the cache, and heal what is bad",
      "  cairn prune checkpoints             what could be deleted",
      "  cairn pack ckpt_*.h5 -o step.cairnpack      files of other programs, small and verified",
      "  cairn plan interval --mtbf 24h --checkpoint 5min       how often to checkpoint",
      "  cairn mesh report checkpoints       what a program of loops over meshes saves, and why",
      "  cairn hash study                    how often hashes miss that a block has changed",
      "  cairn COMMAND --help                more about a command, with examples",
      "",
      "Exit codes: 0 all is well, 1 a problem was found or the work failed, 2 wrong usage."
    })
public final class Main implements Runnable {
  private static final int NARROWEST_HELP = 60;
  private static final int WIDEST_HELP = 100;
  private static final int MOST_SUGGESTIONS = 3;

  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  private Main(Terminal terminal) {
    this.terminal = terminal;
  }

  /** See {@code cairn --help}. */
  public static void main(String[] arguments) {
    System.exit(run(Terminal.standard(), arguments));
  }

  /** Runs a command line and returns the exit code. */
  public static int run(Terminal terminal, String... arguments) {
    try {
      return new Main(terminal).commandLine().execute(arguments);
    } catch (OutOfMemoryError e) {
      return explainWant(terminal, e);
    }
  }

  /** An error is no fault of the command here: it was asked for more than this machine has. */
  private static int explainWant(Terminal terminal, OutOfMemoryError e) {
    terminal
        .err()
        .println(
            "cairn: out of memory: %s; ask for less, or give the JVM more (CAIRN_JAVA_OPTS=-Xmx8g)"
                .formatted(Printable.oneLine(String.valueOf(e.getMessage()))));
    if (terminal.isDebugging()) {
      e.printStackTrace(terminal.err());
    }
    return CommandLine.ExitCode.SOFTWARE;
  }

  private CommandLine commandLine() {
    CommandLine line = new CommandLine(this);
    for (Object command : ownCommands()) {
      line.addSubcommand(command);
    }
    line.addSubcommand(PlanCommand.on(terminal));
    line.addSubcommand(MeshCommand.on(terminal));
    line.addSubcommand(HashCommand.on(terminal));
    // What follows the name of a program is the program's.
    line.addSubcommand(new CommandLine(new RunCommand(terminal)).setStopAtPositional(true));
    for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
      line.addSubcommand(provider.command(terminal));
    }
    line.setOut(new PrintWriter(terminal.out(), true, terminal.out().charset()));
    line.setUsageHelpWidth(Math.clamp(terminal.columns(), NARROWEST_HELP, WIDEST_HELP));
    line.setUsageHelpAutoWidth(false);
    Footer.use(line);
    line.setParameterExceptionHandler(this::explainUsage);
    line.setExecutionExceptionHandler(this::explainFailure);
    return line;
  }

  private List<Object> ownCommands() {
    return List.of(
        new DemoCommand(terminal),
        new ProveCommand(terminal),
        new DoctorCommand(terminal),
        new LsCommand(terminal),
        new ShowCommand(terminal),
        new VerifyCommand(terminal),
        new ScrubCommand(terminal),
        new DiffCommand(terminal),
        new ExportCommand(terminal),
        new ConvertCommand(terminal),
        new PruneCommand(terminal),
        new AdviseCommand(terminal),
        new PackCommand(terminal),
        new UnpackCommand(terminal),
        new InstallCommand(),
        new HelpCommand(),
        new CompletionCommand(terminal),
        new ManCommand(terminal));
  }

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean version;

  @Option(
      names = "--progress",
      scope = ScopeType.INHERIT,
      description = "Show progress even where standard error is not a terminal.")
  @SuppressWarnings("unused") // picocli calls it
  private void setProgress(boolean requested) {
    if (requested) {
      terminal.showProgress();
    }
  }

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show where in the code a failure comes from.")
  @SuppressWarnings("unused") // picocli calls it
  private void setDebug(boolean requested) {
    if (requested) {
      terminal.debug();
    }
  }

  /** When to use colours. */
  enum When {
    auto,
    always,
    never
  }

  @Option(
      names = "--color",
      scope = ScopeType.INHERIT,
      paramLabel = "WHEN",
      description =
          "Use colours: ${COMPLETION-CANDIDATES}; in a terminal unless NO_COLOR is set, if not"
              + " given.")
  @SuppressWarnings("unused") // picocli calls it
  private void setColour(When when) {
    switch (when) {
      case always -> terminal.useColours(Colours.CUBE);
      case never -> terminal.useColours(Colours.NONE);
      case auto -> {}
    }
  }

  /** Without a subcommand: shows what there is. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do");
  }

  private int explainUsage(ParameterException e, String[] arguments) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    terminal.err().println(command + ": " + Printable.oneLine(what(e) + suggestion(e)));
    terminal.err().println("Try '" + command + " --help'.");
    return CommandLine.ExitCode.USAGE;
  }

  private static String what(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return firstLine(String.valueOf(e.getMessage()));
    }
    if (unmatched.isUnknownOption()) {
      return unknownOptions(unmatched);
    }
    return e.getCommandLine().getSubcommands().isEmpty()
        ? firstLine(String.valueOf(e.getMessage()))
        : "there is no command '%s'".formatted(unmatched.getUnmatched().getFirst());
  }

  /** Picocli would call options what follows them, too. */
  private static String unknownOptions(UnmatchedArgumentException e) {
    List<String> options =
        e.getUnmatched().stream()
            .filter(one -> one.startsWith("-"))
            .map(one -> one.replaceAll("=.*", ""))
            .distinct()
            .toList();
    return "there is no option "
        + String.join(", ", options)
        + " here"
        + elsewhere(e.getCommandLine().getCommandSpec(), options.getFirst());
  }

  /** Which commands beside this one have an option. */
  private static String elsewhere(CommandSpec spec, String option) {
    List<String> having =
        spec.parent() == null || spec.parent().parent() == null
            ? List.of() // of unlike commands it says nothing
            : spec.parent().subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(one -> one.findOption(option) != null)
                .map(CommandSpec::name)
                .toList();
    return having.isEmpty() ? "" : "; " + option + " is one of " + String.join(", ", having);
  }

  /** What the user may have meant. */
  private static String suggestion(ParameterException e) {
    List<String> similar =
        e instanceof UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions().stream().limit(MOST_SUGGESTIONS).toList()
            : List.of();
    return similar.isEmpty() ? "" : "; did you mean " + String.join(" or ", similar) + "?";
  }

  private int explainFailure(Exception e, CommandLine commandLine, ParseResult parsed) {
    String command = commandLine.getCommandSpec().qualifiedName();
    terminal.err().println(command + ": " + Explanations.of(e));
    if (terminal.isDebugging()) {
      e.printStackTrace(terminal.err());
    }
    boolean usage = e instanceof CommandFailedException failed && failed.isUsage();
    return usage ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse(message);
  }

  /** The version of the jar, which a class folder does not have. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {
        "cairn " + (version == null ? "(not packaged)" : version),
        "Java " + Runtime.version() + " on " + System.getProperty("os.arch")
      };
    }
  }
}
