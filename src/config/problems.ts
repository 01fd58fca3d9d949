import { z } from 'zod'
import { inBoth } from '../domain/in-both.ts'
import type { Text } from '../domain/settings/row.ts'
import { nearest } from './suggest.ts'
import { type Path, valueAt } from './tree.ts'

/** One thing that is wrong, `中文 (english)`, and where. `path` is empty when it concerns the whole. */
export interface Problem {
  readonly path: Path
  readonly message: string
}

type Issue = z.core.$ZodIssue

/** Settings whose value must never be shown. */
export const isSecretPath = (path: Path): boolean =>
  path.at(-1) === 'api_token' || (path[0] === 'tokens' && path.at(-1) === 'hash')

/** Keys that people have in the file although what they mean lives elsewhere. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  [
    'direct.api_token',
    '请改用环境变量 SVC_API_TOKEN (set the environment variable SVC_API_TOKEN instead)',
  ],
  [
    'direct.public_mode',
    '请改用环境变量 WEB_PUBLIC_MODE (set the environment variable WEB_PUBLIC_MODE instead)',
  ],
  [
    'limits.cluster.append_records_max',
    '请删除，追加的上限由 limits.cluster.append_bytes_max 决定 (remove it: limits.cluster.append_bytes_max is what bounds an append)',
  ],
])

/** Checks one section. The value is returned only when nothing is wrong. */
export function parseSection<S extends z.ZodType>(
  schema: S,
  name: string,
  input: unknown,
): { readonly value?: z.output<S>; readonly problems: readonly Problem[] } {
  const parsed = schema.safeParse(input)
  if (parsed.success) return { value: parsed.data, problems: [] }
  const problems = parsed.error.issues.flatMap((issue) => explain(schema, name, input, issue))
  return { problems }
}

function explain(schema: z.ZodType, name: string, input: unknown, issue: Issue): Problem[] {
  const path = [name, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, input, issue.path)
    return issue.keys.map((key) => unknownKey([...path, key], key, known))
  }
  const given = valueAt(input, issue.path)
  if (issue.code === 'invalid_union' && 'discriminator' in issue) {
    return [{ path, message: withGiven(oneOf(variants(schema)), given) }]
  }
  if (given === undefined) return [{ path, message: '缺少这一项 (is missing)' }]
  const message = rule(issue)
  return [{ path, message: isSecretPath(path) ? message : withGiven(message, given) }]
}

/** With the value that was given, when it is short and plain and the message says what it must be. */
function withGiven(message: string, given: unknown): string {
  const { zh, en } = inBoth(message)
  if (!en.startsWith('must be') || given === undefined || Object(given) === given) return message
  const shown = JSON.stringify(given)
  return `${zh}，现为 ${shown} (${en}, not ${shown})`
}

/** An unknown key, with the one that was probably meant. */
export function unknownKey(path: Path, key: string, known: Iterable<string>): Problem {
  const meant = nearest(key, known)
  const elsewhere = ELSEWHERE.get(path.join('.'))
  if (elsewhere !== undefined) {
    const { zh, en } = inBoth(elsewhere)
    return { path, message: `没有这个设置；${zh} (unknown key; ${en})` }
  }
  if (meant === undefined) return { path, message: '没有这个设置 (unknown key)' }
  return { path, message: `没有这个设置；是否指 ${meant}？ (unknown key; did you mean ${meant}?)` }
}

const list = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(', ')

const oneOf = (values: readonly unknown[]): string =>
  `须为其中之一：${list(values)} (must be one of ${list(values)})`

const NOUN: Readonly<Record<string, Text>> = {
  int: ['整数', 'a whole number'],
  number: ['数字', 'a number'],
  string: ['文字（加双引号）', 'a text'],
  boolean: ['true 或 false', 'true or false'],
  array: ['列表', 'a list'],
  tuple: ['列表', 'a list'],
  object: ['对象', 'an object'],
}

/** What is asked for, without the value that was given. */
function rule(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kindText(NOUN[issue.expected] ?? [issue.expected, `a ${issue.expected}`])
    case 'invalid_value':
      return oneOf(issue.values)
    case 'too_small':
      return bound(issue.origin, 'least', issue.minimum, issue.inclusive === true)
    case 'too_big':
      return bound(issue.origin, 'most', issue.maximum, issue.inclusive === true)
    default:
      return issue.message
  }
}

const kindText = ([zh, en]: Text): string => `须为${zh} (must be ${en})`

function bound(
  origin: string,
  side: 'least' | 'most',
  limit: number | bigint,
  isInclusive: boolean,
): string {
  if (origin === 'string') {
    return side === 'least'
      ? '不能为空 (must not be empty)'
      : `最多 ${limit} 个字符 (must have at most ${limit} characters)`
  }
  const zh = side === 'least' ? '至少' : '最多'
  if (origin === 'array') return `须有${zh} ${limit} 项 (must have at ${side} ${limit} entries)`
  if (isInclusive) {
    return `不得${side === 'least' ? '小于' : '大于'} ${limit} (must be at ${side} ${limit})`
  }
  return side === 'least'
    ? `须大于 ${limit} (must be above ${limit})`
    : `须小于 ${limit} (must be below ${limit})`
}

function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.def.innerType)
  }
  if (schema instanceof z.ZodOptional) return unwrap(schema.def.innerType)
  return schema instanceof z.ZodPipe ? unwrap(schema.def.in) : schema
}

/** The values that choose a variant of the section. */
const variants = (schema: unknown): readonly unknown[] => {
  const bare = unwrap(schema)
  if (!(bare instanceof z.ZodDiscriminatedUnion)) return []
  return bare.options.map((option) => literalOf(option, bare.def.discriminator))
}

const literalOf = (option: unknown, key: string): unknown => {
  if (!(option instanceof z.ZodObject)) return undefined
  const field = unwrap(option.shape[key])
  return field instanceof z.ZodLiteral ? field.value : undefined
}

/** A variant is chosen by its name, and one that is the default also by none. */
const isChosen = (option: unknown, key: string, name: unknown): boolean =>
  option instanceof z.ZodObject && z.safeParse(option.shape[key], name).success

/** The keys that the schema knows at a path, in the variant that the input has chosen. */
function keysAt(schema: unknown, input: unknown, path: Path): string[] {
  const bare = unwrap(schema)
  const [step, ...rest] = path
  if (bare instanceof z.ZodDiscriminatedUnion) {
    const key = bare.def.discriminator
    const chosen = bare.options.find((option) => isChosen(option, key, valueAt(input, [key])))
    return keysAt(chosen, input, path)
  }
  if (step === undefined) return bare instanceof z.ZodObject ? Object.keys(bare.shape) : []
  const inner = valueAt(input, [step])
  if (bare instanceof z.ZodArray) return keysAt(bare.element, inner, rest)
  return bare instanceof z.ZodObject ? keysAt(bare.shape[String(step)], inner, rest) : []
}
