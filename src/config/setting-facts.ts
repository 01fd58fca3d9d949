import { z } from 'zod'
import { type InBoth, inBoth } from '../domain/in-both.ts'
import { type Text, UNITS, type Unit } from '../domain/settings/row.ts'
import { GROUP_OF, WITHOUT_EFFECT } from '../domain/settings/table.ts'
import { unitOf } from './fields.ts'
import { configSchema } from './schema.ts'

/** What the schema says of one setting, for people. */
export interface SettingFacts {
  /** Heading under which it stands: `risk`, `limits.http`, `strategy.grid`, `accounts[0]`. */
  readonly section: string
  readonly text: InBoth
  readonly kind: 'flag' | 'number' | 'whole' | 'choice' | 'text' | 'list'
  /** What a number counts; undefined: things. */
  readonly unit: Text | undefined
  /** Of a number, both ends included. */
  readonly min: number | undefined
  readonly max: number | undefined
  readonly options: readonly string[]
  /** Undefined: there is none, or it depends. */
  readonly default: unknown
  /** Accepted for existing configurations, and nothing reads it. */
  readonly isDead: boolean
}

interface Json {
  readonly type?: string
  readonly description?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly exclusiveMaximum?: number
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Json>>
  readonly items?: Json
  readonly anyOf?: readonly Json[]
  readonly oneOf?: readonly Json[]
  /** Ours: what {@link unitOf} knows. */
  readonly counts?: Unit
}

const schemaOfFile = (): Json =>
  z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const counts = unitOf(zodSchema)
      if (counts !== undefined) Object.assign(jsonSchema, { counts })
    },
  }) as Json

/** `market[replay].speed`: a variant has the name of its source, entries of lists none. */
function gather(node: Json, path: string, found: Map<string, SettingFacts>): void {
  for (const variant of node.oneOf ?? []) {
    const source = variant.properties?.['source']?.const
    if (typeof source === 'string') gather(variant, `${path}[${source}]`, found)
  }
  if (node.items?.properties !== undefined) gather(node.items, `${path}[]`, found)
  for (const [name, inner] of Object.entries(node.properties ?? {})) {
    gather(inner, path === '' ? name : `${path}.${name}`, found)
  }
  if (path !== '' && node.description !== undefined) found.set(path, factsOf(node, path))
}

function factsOf(node: Json, path: string): SettingFacts {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const number = numberIn(node)
  const kind = number === undefined ? kindOf(node) : wholeness(number)
  const unit = number && (number.counts ?? node.counts ?? unitByName(name))
  return {
    section: sectionOf(path),
    text: inBoth(node.description ?? ''),
    kind,
    unit: unit === undefined || unit === 'number' ? undefined : UNITS[unit],
    min: number?.minimum ?? number?.exclusiveMinimum,
    max: number?.maximum ?? number?.exclusiveMaximum,
    options: (node.enum ?? []).map(String),
    default: node.default ?? node.const,
    isDead: path.startsWith('strategy.') && WITHOUT_EFFECT.has(name),
  }
}

const wholeness = ({ type }: Json): 'whole' | 'number' => (type === 'integer' ? 'whole' : 'number')

/** The part of it that is a number: itself, or one of several things that it may be. */
const numberIn = (node: Json): Json | undefined =>
  [node, ...(node.anyOf ?? [])].find(({ type }) => type === 'number' || type === 'integer')

function kindOf({ type, enum: options }: Json): SettingFacts['kind'] {
  if (options !== undefined) return 'choice'
  if (type === 'boolean') return 'flag'
  return type === 'array' ? 'list' : 'text'
}

/** Endings of names, the unit that each says. `_per_s` counts something else. */
const ENDINGS: readonly (readonly [RegExp, Unit])[] = [
  [/(?:^|_)ms(?:_max|_min|_per_tick)?$/, 'milliseconds'],
  [/^ms_per_/, 'milliseconds'],
  [/(?:^|_)bytes(?:_max|_min)?$/, 'bytes'],
  [/_mb$/, 'megabytes'],
  [/_days$/, 'days'],
  [/_years$/, 'years'],
  [/(?<!_per)_s$/, 'seconds'],
]
const unitByName = (name: string): Unit | undefined =>
  ENDINGS.find(([ending]) => ending.test(name))?.[1]

/** The heading of a path: lists of accounts and tokens have one for each entry. */
function sectionOf(path: string): string {
  const [first = '', second = '', ...rest] = path.split('.')
  const section = first.replace(/\[(?!\]).*\]$/, '')
  if (section === 'strategy') return `strategy.${GROUP_OF.get(second) ?? 'carried_over'}`
  return section === 'limits' && rest.length > 0 ? `limits.${second}` : section
}

let known: ReadonlyMap<string, SettingFacts> | undefined

/** What comes from the environment alone and so stands in no schema of the file. */
const OUTSIDE: Readonly<Record<string, Json>> = {
  'direct.api_token': {
    type: 'string',
    description:
      '直连令牌，只由环境变量 SVC_API_TOKEN 设置 (token of direct mode, set by SVC_API_TOKEN alone)',
  },
  'direct.public_mode': {
    type: 'boolean',
    description:
      '拒绝全部接口，只由环境变量 WEB_PUBLIC_MODE 设置 (refuse everything under /api, set by WEB_PUBLIC_MODE alone)',
  },
}

/** What the schema says of every setting, by its path in the schema. Made when somebody first asks. */
export function allFacts(): ReadonlyMap<string, SettingFacts> {
  if (known === undefined) {
    const found = new Map<string, SettingFacts>()
    gather(schemaOfFile(), '', found)
    for (const [path, node] of Object.entries(OUTSIDE)) found.set(path, factsOf(node, path))
    known = found
  }
  return known
}

/**
 * What the schema says of the setting at a path of the file, `accounts[0].call_timeout`. `source` is the value of
 * `market.source`, which decides what the rest of that section means.
 */
export function factsAt(path: string, source: string): SettingFacts | undefined {
  const bare = path.replaceAll(/\[\d+\]/g, '[]').replace(/^market\./, `market[${source}].`)
  const facts = allFacts().get(bare)
  const entry = /^(?:accounts|tokens)\[\d+\]/.exec(path)?.[0]
  return facts && entry !== undefined ? { ...facts, section: entry } : facts
}
