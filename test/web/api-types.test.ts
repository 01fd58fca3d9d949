import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { call } from '../http/fixtures/client.ts'
import { FakeLink } from '../http/fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../http/fixtures/fronts.ts'

const FILE = new URL('../../web/shared/api.ts', import.meta.url)
const HEAD = `/**
 * What the service says that it answers: the named schemas of its own description, as types. Written by
 * test/web/api-types.test.ts with UPDATE_SNAPSHOT=1; the same test fails when the service says otherwise.
 */
`

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
  readonly $ref?: string
}

/** A schema as a type. What it does not say is unknown. */
function typeOf(schema: Schema): string {
  const { $ref: ref, anyOf, enum: values, const: value, type } = schema
  if (ref !== undefined) return `Schemas['${ref.split('/').at(-1)}']`
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' | ')
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(' | ')
  if (value !== undefined) return JSON.stringify(value)
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ')
  if (type === 'integer') return 'number'
  if (type === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`
  return type === 'object' ? objectOf(schema) : String(type ?? 'unknown')
}

function objectOf({ properties, required = [], additionalProperties: rest }: Schema): string {
  if (properties === undefined) {
    const values = typeof rest === 'object' ? typeOf(rest) : 'unknown'
    return `Readonly<Record<string, ${values}>>`
  }
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    return `readonly ${JSON.stringify(name)}${mark}: ${typeOf(schema)}`
  })
  return `{ ${fields.join('; ')} }`
}

t.test('the types of the pages are those that both backends describe', async (t) => {
  const { front: direct } = await directFront(t, new FakeLink('A'))
  const { front: gateway } = await gatewayFront(t, [new FakeLink('A', 0)])
  const schemas: Record<string, Schema> = {}
  for (const { port } of [direct, gateway]) {
    const { body } = await call(port, '/openapi.json')
    Object.assign(schemas, body.components.schemas)
  }
  const names = Object.keys(schemas).sort()
  t.ok(names.length > 10)
  const types = names.map((name) => `  readonly ${name}: ${typeOf(schemas[name] ?? {})}\n`)
  const text = `${HEAD}export interface Schemas {\n${types.join('')}}\n`
  if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(FILE, text)
  t.equal(readFileSync(FILE, 'utf8'), text)
})
