import { z } from 'zod'
import { describeBoth } from '../message/in-both.ts'

export type JsonSchema = Record<string, unknown>

const LOCAL = '"#/$defs/'
const SHARED = '"#/components/schemas/'

/** JSON schemas of one document: named ones stand once, under `components`, and are referred to. */
export class Schemas {
  readonly #named = new Map<string, string>()

  /** `input` as a caller writes it, `output` as we answer it. Named parts are kept for {@link components}. */
  convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const whole = z.toJSONSchema(schema, {
      io,
      // What is checked by code is told by the description, not by the schema.
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        // An answer may grow: clients must not refuse what they do not know.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
        if (io === 'output') describeBoth(jsonSchema)
        if (io === 'output' || jsonSchema.enum !== undefined) dropSafeBounds(jsonSchema)
      },
    })
    const shared = JSON.parse(JSON.stringify(whole).replaceAll(LOCAL, SHARED)) as JsonSchema
    const { $schema: _draft, $defs = {}, ...rest } = shared
    for (const [name, definition] of Object.entries($defs as JsonSchema)) {
      this.#keep(name, JSON.stringify(definition))
    }
    const { id, ...own } = rest
    if (typeof id !== 'string') return rest
    this.#keep(id, JSON.stringify(own))
    return { $ref: `#/components/schemas/${id}` }
  }

  components(): Record<string, JsonSchema> {
    const entries = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      entries.map(([name, text]) => {
        const { id: _id, ...definition } = JSON.parse(text) as JsonSchema
        return [name, definition]
      }),
    )
  }

  #keep(name: string, text: string): void {
    const known = this.#named.get(name) ?? text
    if (withoutId(known) !== withoutId(text)) throw new Error(`two schemas are called ${name}`)
    this.#named.set(name, text)
  }
}

/** What every whole number of ours keeps to is no news. */
function dropSafeBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

function withoutId(text: string): string {
  const { id: _id, ...rest } = JSON.parse(text) as JsonSchema
  return JSON.stringify(rest)
}
