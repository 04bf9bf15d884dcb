// SPDX-License-Identifier: Apache-2.0
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.CLASS_INIT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.EnclosingMethodAttribute;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.attribute.InnerClassesAttribute;
import java.lang.classfile.attribute.NestHostAttribute;
import java.lang.classfile.attribute.NestMembersAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Makes plain classes of the lambdas in a folder of classes, and plain code of switches over types and of what records inherit.
 *
 * <p>The JVM makes a class for each lambda, and method handles for the others, when it comes to them first: 0.6 ms each in a
 * process that has just begun. Opening and restarting comes to hundreds of them, and a restart always happens in such a process.
 * A small class in a jar takes a fifth of that, and those of a class that have the same interface share one. Nothing else changes: the bodies stay where they are, private, called by nestmates.
 *
 * <p>Used by the build: {@code java build/PlainLambdas.java CLASSES CLASSPATH}. What it has done once it does not do again.
 */
public final class PlainLambdas {
  private static final String MARK = "$$";
  private static final ClassDesc CD_METAFACTORY = ClassDesc.of("java.lang.invoke.LambdaMetafactory");
  private static final ClassDesc CD_OBJECT_METHODS = ClassDesc.of("java.lang.runtime.ObjectMethods");
  private static final ClassDesc CD_SWITCH = ClassDesc.of("java.lang.runtime.SwitchBootstraps");
  private static final ClassDesc CD_OBJECTS = ClassDesc.of("java.util.Objects");

  private final Path classes;
  private final ClassFile files;
  private final Map<ClassDesc, byte[]> written = new TreeMap<>(Comparator.comparing(ClassDesc::descriptorString));
  private final Map<ClassDesc, List<ClassDesc>> newMembers = new LinkedHashMap<>();
  private int lambdas;
  private int recordMethods;
  private int switches;

  private PlainLambdas(Path classes, ClassLoader known) {
    this.classes = classes;
    this.files = ClassFile.of(
        ClassFile.ConstantPoolSharingOption.NEW_POOL,
        ClassFile.ClassHierarchyResolverOption.of(
            ClassHierarchyResolver.ofResourceParsing(known).orElse(ClassHierarchyResolver.defaultResolver())));
  }

  public static void main(String[] args) throws IOException {
    Path classes = Path.of(args[0]);
    List<URL> known = new ArrayList<>();
    known.add(classes.toUri().toURL());
    for (String entry : args[1].split(File.pathSeparator)) {
      if (!entry.isEmpty()) {
        known.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader loader = new URLClassLoader(known.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      new PlainLambdas(classes, loader).run();
    }
  }

  private void run() throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(classes)) {
      all = found.filter(this::isConcerned).sorted().toList();
    }
    for (Path file : all) {
      rewrite(files.parse(file));
    }
    for (Map.Entry<ClassDesc, List<ClassDesc>> host : newMembers.entrySet()) {
      introduce(host.getKey(), host.getValue());
    }
    for (Map.Entry<ClassDesc, byte[]> one : written.entrySet()) {
      Files.write(file(one.getKey()), one.getValue());
    }
    System.out.printf("%,d lambdas, %,d methods of records and %,d switches are plain now%n", lambdas, recordMethods, switches);
  }

  private boolean isConcerned(Path file) {
    String name = classes.relativize(file).toString().replace(File.separatorChar, '.');
    return name.endsWith(".class") && !name.endsWith("-info.class") && !name.contains(MARK);
  }

  private Path file(ClassDesc one) {
    String internal = one.descriptorString().substring(1, one.descriptorString().length() - 1);
    return classes.resolve(internal + ".class");
  }

  // ---------------------------------------------------------------- a class

  private void rewrite(ClassModel model) {
    int before = changes();
    Nest nest = new Nest(model);
    byte[] bytes = files.transformClass(
        model,
        ClassTransform.transformingMethodBodies(
            PlainLambdas::hasDynamicCall, (code, element) -> rewrite(nest, code, element)));
    for (Siblings siblings : nest.all) {
      written.put(siblings.self, siblings.toClass(files));
      newMembers.computeIfAbsent(nest.host, _ -> new ArrayList<>()).add(siblings.self);
    }
    if (changes() > before) {
      written.put(model.thisClass().asSymbol(), bytes);
    }
  }

  private int changes() {
    return lambdas + recordMethods + switches;
  }

  private static boolean hasDynamicCall(MethodModel method) {
    return method.code().stream()
        .flatMap(code -> code.elementStream())
        .anyMatch(InvokeDynamicInstruction.class::isInstance);
  }

  /** A class, and where the new ones belong that are made for it. */
  private static final class Nest {
    final ClassModel model;
    final ClassDesc self;
    final ClassDesc host;
    final boolean isInterface;
    final Map<List<ConstantDesc>, Siblings> unfinished = new LinkedHashMap<>();
    final List<Siblings> all = new ArrayList<>();
    int made;

    Nest(ClassModel model) {
      this.model = model;
      this.self = model.thisClass().asSymbol();
      this.host = model.findAttribute(Attributes.nestHost()).map(NestHostAttribute::nestHost).map(ClassEntry::asSymbol).orElse(self);
      this.isInterface = model.flags().has(java.lang.reflect.AccessFlag.INTERFACE);
    }

    ClassDesc next() {
      String name = self.descriptorString();
      return ClassDesc.ofDescriptor(name.substring(0, name.length() - 1) + MARK + made++ + ";");
    }

    /** Where a lambda belongs. */
    Siblings siblings(Lambda lambda) {
      List<ConstantDesc> key = List.of(lambda.captured.returnType(), lambda.name, lambda.erased);
      Siblings known = unfinished.get(key);
      if (known == null || known.lambdas.size() == Siblings.MOST) {
        known = new Siblings(next(), this);
        unfinished.put(key, known);
        all.add(known);
      }
      return known;
    }
  }

  /** New classes are members of their nest. */
  private void introduce(ClassDesc host, List<ClassDesc> members) throws IOException {
    byte[] bytes = written.containsKey(host) ? written.get(host) : Files.readAllBytes(file(host));
    ClassModel model = files.parse(bytes);
    List<ClassDesc> all = new ArrayList<>();
    model.findAttribute(Attributes.nestMembers())
        .ifPresent(now -> now.nestMembers().forEach(member -> all.add(member.asSymbol())));
    members.stream().filter(member -> !all.contains(member)).forEach(all::add);
    ClassTransform change = new ClassTransform() {
      @Override
      public void accept(ClassBuilder builder, ClassElement element) {
        if (!(element instanceof NestMembersAttribute)) {
          builder.with(element);
        }
      }

      @Override
      public void atEnd(ClassBuilder builder) {
        builder.with(NestMembersAttribute.ofSymbols(all));
      }
    };
    written.put(host, files.transformClass(model, change));
  }

  // ---------------------------------------------------------------- a call

  private void rewrite(Nest nest, CodeBuilder code, CodeElement element) {
    if (element instanceof InvokeDynamicInstruction call) {
      DirectMethodHandleDesc bootstrap = call.bootstrapMethod();
      if (bootstrap.owner().equals(CD_METAFACTORY) && bootstrap.methodName().equals("metafactory")) {
        replace(nest, code, Lambda.of(call));
        return;
      }
      if (bootstrap.owner().equals(CD_SWITCH) && TypeSwitch.isPlain(call)) {
        TypeSwitch.replace(code, call);
        switches++;
        return;
      }
      if (bootstrap.owner().equals(CD_OBJECT_METHODS)) {
        RecordMethods.replace(code, call);
        recordMethods++;
        return;
      }
    }
    code.with(element);
  }

  private void replace(Nest nest, CodeBuilder code, Lambda lambda) {
    Siblings siblings = nest.siblings(lambda);
    int number = siblings.add(lambda);
    if (lambda.captured.parameterCount() == 0) {
      code.getstatic(siblings.self, "IT" + number, lambda.captured.returnType());
    } else {
      code.invokestatic(siblings.self, "of" + number, lambda.captured);
    }
    lambdas++;
  }

  /**
   * The lambdas of a class that are of one interface: one class has them all, with a number each, since what costs is the class.
   *
   * <p>Its fields and the parameters of its constructor are objects and primitives, without types: who asks for constructors, as
   * {@code HeadStart} does, has their types loaded.
   */
  private static final class Siblings {
    /** What calls them is to stay small enough for the second compiler to look into (325 bytes). */
    private static final int MOST = 8;

    final ClassDesc self;
    final Nest nest;
    final List<Lambda> lambdas = new ArrayList<>();

    Siblings(ClassDesc self, Nest nest) {
      this.self = self;
      this.nest = nest;
    }

    int add(Lambda lambda) {
      lambdas.add(lambda);
      return lambdas.size() - 1;
    }

    byte[] toClass(ClassFile files) {
      Lambda first = lambdas.getFirst();
      Fields fields = new Fields(lambdas);
      return files.build(self, builder -> {
        builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC | ClassFile.ACC_SUPER);
        builder.withVersion(nest.model.majorVersion(), nest.model.minorVersion());
        builder.withInterfaceSymbols(first.captured.returnType());
        builder.with(NestHostAttribute.of(nest.host));
        // As an anonymous class: tools that ask to whom a class belongs are told.
        builder.with(EnclosingMethodAttribute.of(nest.self, Optional.empty(), Optional.empty()));
        builder.with(InnerClassesAttribute.of(InnerClassInfo.of(self, Optional.empty(), Optional.empty(), 0)));
        fields.types.forEach((name, type) -> builder.withField(name, type, ClassFile.ACC_PRIVATE | ClassFile.ACC_FINAL));
        addConstructor(builder, fields);
        addInstances(builder, fields);
        for (int i = 0; i < lambdas.size(); i++) {
          if (lambdas.get(i).captured.parameterCount() > 0) {
            addFactory(builder, fields, i);
          }
        }
        builder.withMethodBody(first.name, first.erased, ClassFile.ACC_PUBLIC, code -> call(code, fields));
      });
    }

    private void addConstructor(ClassBuilder builder, Fields fields) {
      builder.withMethodBody(INIT_NAME, fields.constructor(), ClassFile.ACC_PRIVATE, code -> {
        code.aload(0).invokespecial(CD_Object, INIT_NAME, MTD_void);
        int parameter = 0;
        for (Map.Entry<String, ClassDesc> field : fields.types.entrySet()) {
          code.aload(0);
          code.loadLocal(TypeKind.from(field.getValue()), code.parameterSlot(parameter++));
          code.putfield(self, field.getKey(), field.getValue());
        }
        code.return_();
      });
    }

    /** Of those that take nothing with them there is one each. */
    private void addInstances(ClassBuilder builder, Fields fields) {
      List<Integer> alone = new ArrayList<>();
      for (int i = 0; i < lambdas.size(); i++) {
        if (lambdas.get(i).captured.parameterCount() == 0) {
          alone.add(i);
          builder.withField("IT" + i, lambdas.get(i).captured.returnType(), ClassFile.ACC_STATIC | ClassFile.ACC_FINAL);
        }
      }
      if (!alone.isEmpty()) {
        builder.withMethodBody(CLASS_INIT_NAME, MTD_void, ClassFile.ACC_STATIC, code -> {
          for (int i : alone) {
            make(code, fields, i);
            code.putstatic(self, "IT" + i, lambdas.get(i).captured.returnType());
          }
          code.return_();
        });
      }
    }

    private void addFactory(ClassBuilder builder, Fields fields, int number) {
      builder.withMethodBody("of" + number, lambdas.get(number).captured, ClassFile.ACC_STATIC, code -> {
        make(code, fields, number);
        code.areturn();
      });
    }

    /** Makes one of what the method at hand was given. */
    private void make(CodeBuilder code, Fields fields, int number) {
      List<String> mine = fields.of(lambdas.get(number));
      code.new_(self).dup();
      fields.types.forEach((name, type) -> {
        int at = mine.indexOf(name);
        if (name.equals(Fields.NUMBER)) {
          code.loadConstant(number);
        } else if (at >= 0) {
          code.loadLocal(TypeKind.from(type), code.parameterSlot(at));
        } else {
          loadNothing(code, TypeKind.from(type));
        }
      });
      code.invokespecial(self, INIT_NAME, fields.constructor());
    }

    private static void loadNothing(CodeBuilder code, TypeKind kind) {
      switch (kind) {
        case LONG -> code.lconst_0();
        case DOUBLE -> code.dconst_0();
        case FLOAT -> code.fconst_0();
        case REFERENCE -> code.aconst_null();
        default -> code.iconst_0();
      }
    }

    private void call(CodeBuilder code, Fields fields) {
      int last = lambdas.size() - 1;
      if (last > 0) {
        List<SwitchCase> cases = new ArrayList<>();
        for (int i = 0; i < last; i++) {
          cases.add(SwitchCase.of(i, code.newLabel()));
        }
        Label otherwise = code.newLabel();
        code.aload(0).getfield(self, Fields.NUMBER, CD_int);
        code.tableswitch(0, last - 1, otherwise, cases);
        for (int i = 0; i < last; i++) {
          code.labelBinding(cases.get(i).target());
          lambdas.get(i).call(code, self, fields, nest);
        }
        code.labelBinding(otherwise);
      }
      lambdas.get(last).call(code, self, fields, nest);
    }
  }

  /** What siblings take with them: as many fields of each kind as one of them needs. */
  private static final class Fields {
    static final String NUMBER = "number";

    final Map<String, ClassDesc> types = new LinkedHashMap<>();

    Fields(List<Lambda> lambdas) {
      if (lambdas.size() > 1) {
        types.put(NUMBER, CD_int);
      }
      for (Lambda lambda : lambdas) {
        List<String> names = of(lambda);
        for (int i = 0; i < names.size(); i++) {
          types.putIfAbsent(names.get(i), plain(lambda.captured.parameterType(i)));
        }
      }
    }

    /** The fields of what it takes with it, in that order. */
    List<String> of(Lambda lambda) {
      Map<ClassDesc, Integer> counts = new LinkedHashMap<>();
      List<String> names = new ArrayList<>();
      for (ClassDesc type : lambda.captured.parameterList()) {
        ClassDesc plain = plain(type);
        int number = counts.merge(plain, 1, Integer::sum) - 1;
        names.add((plain.isPrimitive() ? plain.descriptorString() : "a") + number);
      }
      return names;
    }

    static ClassDesc plain(ClassDesc type) {
      return type.isPrimitive() ? type : CD_Object;
    }

    MethodTypeDesc constructor() {
      return MethodTypeDesc.of(CD_void, List.copyOf(types.values()));
    }
  }

  /**
   * A lambda or a reference to a method.
   *
   * @param captured what it takes with it, and what it is
   * @param name the method of the interface
   * @param erased its type there
   * @param actual its type where all type parameters are known
   * @param body what it does
   */
  private record Lambda(
      MethodTypeDesc captured, String name, MethodTypeDesc erased, MethodTypeDesc actual, DirectMethodHandleDesc body) {

    static Lambda of(InvokeDynamicInstruction call) {
      List<ConstantDesc> args = call.bootstrapArgs();
      return new Lambda(
          call.typeSymbol(),
          call.name().stringValue(),
          (MethodTypeDesc) args.get(0),
          (MethodTypeDesc) args.get(2),
          (DirectMethodHandleDesc) args.get(1));
    }

    /** Calls the body and returns. */
    void call(CodeBuilder code, ClassDesc self, Fields fields, Nest nest) {
      boolean makes = body.kind() == DirectMethodHandleDesc.Kind.CONSTRUCTOR;
      List<ClassDesc> wanted = new ArrayList<>(body.invocationType().parameterList());
      if (makes) {
        code.new_(body.owner()).dup();
      }
      int count = captured.parameterCount();
      List<String> mine = fields.of(this);
      for (int i = 0; i < count; i++) {
        ClassDesc plain = Fields.plain(captured.parameterType(i));
        code.aload(0).getfield(self, mine.get(i), plain);
        Conversion.convert(code, plain, captured.parameterType(i), captured.parameterType(i));
        Conversion.convert(code, captured.parameterType(i), wanted.get(i), captured.parameterType(i));
      }
      for (int i = 0; i < erased.parameterCount(); i++) {
        code.loadLocal(TypeKind.from(erased.parameterType(i)), code.parameterSlot(i));
        Conversion.convert(code, erased.parameterType(i), wanted.get(count + i), actual.parameterType(i));
      }
      invoke(code, nest);
      ClassDesc result = makes ? body.owner() : body.invocationType().returnType();
      Conversion.convertResult(code, result, erased.returnType(), actual.returnType());
      code.return_(TypeKind.from(erased.returnType()));
    }

    private void invoke(CodeBuilder code, Nest nest) {
      MethodTypeDesc type = MethodTypeDesc.ofDescriptor(body.lookupDescriptor());
      switch (body.kind()) {
        case STATIC -> code.invokestatic(body.owner(), body.methodName(), type, false);
        case INTERFACE_STATIC -> code.invokestatic(body.owner(), body.methodName(), type, true);
        case VIRTUAL -> code.invokevirtual(body.owner(), body.methodName(), type);
        case INTERFACE_VIRTUAL -> code.invokeinterface(body.owner(), body.methodName(), type);
        case CONSTRUCTOR -> code.invokespecial(body.owner(), INIT_NAME, type);
        // Private methods of the class itself: a nestmate calls them as any other.
        case SPECIAL, INTERFACE_SPECIAL -> {
          if (!body.owner().equals(nest.self)) {
            throw new IllegalArgumentException(nest.self + " refers to a method of what it extends: " + body);
          }
          if (nest.isInterface) {
            code.invokeinterface(body.owner(), body.methodName(), type);
          } else {
            code.invokevirtual(body.owner(), body.methodName(), type);
          }
        }
        default -> throw new IllegalArgumentException(nest.self + ": " + body);
      }
    }
  }

  // ---------------------------------------------------------------- types

  /** Makes one type of another as a call through an interface does. */
  private static final class Conversion {
    private static final Map<String, ClassDesc> BOXES = new LinkedHashMap<>();

    static {
      for (Class<?> box : List.of(Integer.class, Long.class, Double.class, Float.class, Short.class, Byte.class, Character.class, Boolean.class)) {
        ClassDesc type = box.describeConstable().orElseThrow();
        BOXES.put(java.lang.invoke.MethodType.methodType(box).unwrap().returnType().descriptorString(), type);
      }
    }

    static void convert(CodeBuilder code, ClassDesc from, ClassDesc to, ClassDesc actual) {
      if (from.equals(to)) {
        return;
      }
      if (from.isPrimitive()) {
        if (to.isPrimitive()) {
          code.conversion(TypeKind.from(from), TypeKind.from(to));
        } else {
          box(code, from);
        }
      } else if (to.isPrimitive()) {
        unbox(code, actual, to);
      } else if (!to.equals(CD_Object)) {
        code.checkcast(to);
      }
    }

    static void convertResult(CodeBuilder code, ClassDesc from, ClassDesc to, ClassDesc actual) {
      if (to.equals(CD_void)) {
        if (!from.equals(CD_void)) {
          code.with(from.equals(ClassDesc.ofDescriptor("J")) || from.equals(ClassDesc.ofDescriptor("D"))
              ? java.lang.classfile.instruction.StackInstruction.of(java.lang.classfile.Opcode.POP2)
              : java.lang.classfile.instruction.StackInstruction.of(java.lang.classfile.Opcode.POP));
        }
      } else if (from.isPrimitive() && !to.isPrimitive() && BOXES.containsValue(actual)) {
        // As a Long, if that is what the interface promises of an int.
        ClassDesc primitive = primitive(actual);
        convert(code, from, primitive, primitive);
        box(code, primitive);
      } else {
        convert(code, from, to, from);
      }
    }

    private static ClassDesc primitive(ClassDesc box) {
      for (Map.Entry<String, ClassDesc> one : BOXES.entrySet()) {
        if (one.getValue().equals(box)) {
          return ClassDesc.ofDescriptor(one.getKey());
        }
      }
      throw new IllegalArgumentException(box.toString());
    }

    private static void box(CodeBuilder code, ClassDesc primitive) {
      ClassDesc box = BOXES.get(primitive.descriptorString());
      code.invokestatic(box, "valueOf", MethodTypeDesc.of(box, primitive));
    }

    private static void unbox(CodeBuilder code, ClassDesc actual, ClassDesc to) {
      ClassDesc box = BOXES.containsValue(actual) ? actual : BOXES.get(to.descriptorString());
      ClassDesc primitive = primitive(box);
      code.checkcast(box);
      code.invokevirtual(box, primitive.displayName() + "Value", MethodTypeDesc.of(primitive));
      convert(code, primitive, to, primitive);
    }
  }

  // ---------------------------------------------------------------- switches

  /** Which case of a switch over types fits. */
  private static final class TypeSwitch {
    static boolean isPlain(InvokeDynamicInstruction call) {
      return call.name().stringValue().equals("typeSwitch")
          && call.bootstrapArgs().stream().allMatch(ClassDesc.class::isInstance);
    }

    /** An object is on the stack, and from which case on; afterwards which case it is, -1 for null. */
    static void replace(CodeBuilder code, InvokeDynamicInstruction call) {
      int from = code.allocateLocal(TypeKind.INT);
      int object = code.allocateLocal(TypeKind.REFERENCE);
      code.istore(from).astore(object);
      var end = code.newLabel();
      var known = code.newLabel();
      code.aload(object).ifnonnull(known).iconst_m1().goto_(end).labelBinding(known);
      List<ConstantDesc> cases = call.bootstrapArgs();
      for (int i = 0; i < cases.size(); i++) {
        var no = code.newLabel();
        code.iload(from).loadConstant(i).if_icmpgt(no);
        code.aload(object).instanceOf((ClassDesc) cases.get(i)).ifeq(no);
        code.loadConstant(i).goto_(end).labelBinding(no);
      }
      code.loadConstant(cases.size()).labelBinding(end);
    }
  }

  // ---------------------------------------------------------------- records

  /** What a record inherits: equals, hashCode and toString by its components. */
  private static final class RecordMethods {
    static void replace(CodeBuilder code, InvokeDynamicInstruction call) {
      List<ConstantDesc> args = call.bootstrapArgs();
      ClassDesc self = (ClassDesc) args.get(0);
      String joined = (String) args.get(1);
      String[] names = joined.isEmpty() ? new String[0] : joined.split(";");
      List<Component> components = new ArrayList<>();
      for (int i = 0; i < names.length; i++) {
        DirectMethodHandleDesc getter = (DirectMethodHandleDesc) args.get(2 + i);
        components.add(new Component(names[i], getter.invocationType().returnType(), getter.methodName()));
      }
      switch (call.name().stringValue()) {
        case "equals" -> equal(code, self, components);
        case "hashCode" -> hash(code, self, components);
        case "toString" -> text(code, self, components);
        default -> throw new IllegalArgumentException(call.toString());
      }
    }

    private record Component(String name, ClassDesc type, String field) {
      ClassDesc box() {
        return Conversion.BOXES.get(type.descriptorString());
      }

      void load(CodeBuilder code, ClassDesc self) {
        code.getfield(self, field, type);
      }
    }

    /** The record and the other object are on the stack. */
    private static void equal(CodeBuilder code, ClassDesc self, List<Component> components) {
      int other = code.allocateLocal(TypeKind.REFERENCE);
      int mine = code.allocateLocal(TypeKind.REFERENCE);
      code.astore(other).astore(mine);
      var no = code.newLabel();
      var end = code.newLabel();
      code.aload(other).instanceOf(self).ifeq(no);
      code.aload(other).checkcast(self).astore(other);
      for (Component one : components) {
        code.aload(mine);
        one.load(code, self);
        code.aload(other);
        one.load(code, self);
        if (one.box() == null) {
          code.invokestatic(CD_OBJECTS, "equals", MethodTypeDesc.of(CD_boolean, CD_Object, CD_Object)).ifeq(no);
        } else {
          code.invokestatic(one.box(), "compare", MethodTypeDesc.of(CD_int, one.type, one.type)).ifne(no);
        }
      }
      code.iconst_1().goto_(end).labelBinding(no).iconst_0().labelBinding(end);
    }

    private static void hash(CodeBuilder code, ClassDesc self, List<Component> components) {
      int mine = code.allocateLocal(TypeKind.REFERENCE);
      code.astore(mine).iconst_0();
      for (Component one : components) {
        code.bipush(31).imul().aload(mine);
        one.load(code, self);
        if (one.box() == null) {
          code.invokestatic(CD_OBJECTS, "hashCode", MethodTypeDesc.of(CD_int, CD_Object));
        } else {
          code.invokestatic(one.box(), "hashCode", MethodTypeDesc.of(CD_int, one.type));
        }
        code.iadd();
      }
    }

    private static void text(CodeBuilder code, ClassDesc self, List<Component> components) {
      ClassDesc builder = ClassDesc.of("java.lang.StringBuilder");
      MethodTypeDesc append = MethodTypeDesc.of(builder, CD_String);
      int mine = code.allocateLocal(TypeKind.REFERENCE);
      code.astore(mine).new_(builder).dup().invokespecial(builder, INIT_NAME, MTD_void);
      String before = simpleName(self) + "[";
      for (Component one : components) {
        code.ldc(before + one.name + "=").invokevirtual(builder, "append", append).aload(mine);
        one.load(code, self);
        if (one.box() == null) {
          code.invokestatic(CD_String, "valueOf", MethodTypeDesc.of(CD_String, CD_Object));
        } else {
          code.invokestatic(one.box(), "toString", MethodTypeDesc.of(CD_String, one.type));
        }
        code.invokevirtual(builder, "append", append);
        before = ", ";
      }
      code.ldc(components.isEmpty() ? before + "]" : "]").invokevirtual(builder, "append", append);
      code.invokevirtual(builder, "toString", MethodTypeDesc.of(CD_String));
    }

    private static String simpleName(ClassDesc self) {
      String name = self.displayName();
      // A local record is Outer$1Name.
      return name.substring(name.lastIndexOf('$') + 1).replaceFirst("^[0-9]+", "");
    }
  }
}
