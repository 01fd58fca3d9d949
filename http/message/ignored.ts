import { z } from 'zod'
import type { JsonObject } from './json-body.ts'

/** Said in the answer of whatever saves or starts something: a misspelled field must not look like a saved one. */
export const ignored = z
  .array(z.string())
  .describe(
    'fields of the body that changed nothing: not known here, or not to be changed this way',
  )

/** The names of a body that its schema does not know. */
export const ignoredIn = (body: JsonObject, { shape }: z.ZodObject): string[] =>
  Object.keys(body).filter((name) => !Object.hasOwn(shape, name))
