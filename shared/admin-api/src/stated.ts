import { z } from 'zod/mini';

type Nullish<Type extends z.core.SomeType> = z.ZodMiniOptional<z.ZodMiniNullable<Type>>;

/** The fields of a shape whose settings cannot be null. */
export type Stated<Shape> = {
  [Field in keyof Shape]: Shape[Field] extends Nullish<infer Type> ? z.ZodMiniOptional<Type> : Shape[Field];
};

/** The fields of a shape whose settings are null if they are not set. */
export type Shown<Shape> = {
  [Field in keyof Shape]: Shape[Field] extends Nullish<infer Type> ? z.ZodMiniNullable<Type> : Shape[Field];
};

/** Returns the fields of settings as gateway.yaml states them: what the API takes as null is absent. */
export function stated<Shape extends z.core.$ZodShape>(shape: Shape): Stated<Shape> {
  return mapSettings(shape, type => z.optional(type)) as Stated<Shape>;
}

/** Returns the fields of settings as an answer has them: one that is not set is null. */
export function shown<Shape extends z.core.$ZodShape>(shape: Shape): Shown<Shape> {
  return mapSettings(shape, type => z.nullable(type)) as Shown<Shape>;
}

function mapSettings(shape: z.core.$ZodShape, map: (type: z.core.$ZodType) => z.ZodMiniType): object {
  return Object.fromEntries(
    Object.entries(shape).map(([field, type]) => {
      const inner = settingOf(type);
      if (!inner) return [field, type];
      const { description } = z.globalRegistry.get(type) ?? {};
      return [field, description === undefined ? map(inner) : map(inner).check(z.describe(description))];
    }),
  );
}

/** Returns the type of a setting that may be null or absent; undefined for a field that must be given. */
function settingOf(type: z.core.$ZodType): z.core.$ZodType | undefined {
  if (!(type instanceof z.ZodMiniOptional)) return undefined;
  const { innerType } = type._zod.def;
  return innerType instanceof z.ZodMiniNullable ? innerType._zod.def.innerType : undefined;
}
