import { createHash } from 'node:crypto'
import { ServiceError } from '../../src/domain/errors.ts'

export type JsonObject = Readonly<Record<string, unknown>>

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const refuse = (chinese: string, english: string): ServiceError =>
  new ServiceError('BAD_JSON', `请求体${chinese} (the body ${english})`)

/** Bounds of what a body may be made of. */
export interface JsonLimits {
  readonly bodyDepthMax: number
  readonly bodyKeysMax: number
  /** Members of arrays and objects together. */
  readonly bodyValuesMax: number
}

/**
 * Bytes into a JSON object. Refuses, before anything is built, what is too deep or has too many parts;
 * then keys that could reach a prototype, and a key given twice: two readers of such a body may see
 * two different orders.
 *
 * Errors  throws `BAD_JSON`.
 */
export function parseJsonObject(bytes: Uint8Array, limits: JsonLimits): JsonObject {
  checkParts(bytes, limits)
  const text = decodeText(bytes)
  checkKeys(text)
  const value = parseText(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('须为 JSON 对象', 'must be a JSON object')
  }
  return value as JsonObject
}

const CODE = (char: string): number => char.charCodeAt(0)
const [QUOTE, ESCAPE, COLON, COMMA] = [CODE('"'), CODE('\\'), CODE(':'), CODE(',')]
const [OPEN_OBJECT, OPEN_LIST] = [CODE('{'), CODE('[')]
const [CLOSE_OBJECT, CLOSE_LIST] = [CODE('}'), CODE(']')]

/** What a byte outside of texts is to the shape of a body; the rest is nothing to it. */
const [TEXT, KEY, VALUE, DEEPER, HIGHER] = [1, 2, 3, 4, 5]
const PARTS = new Uint8Array(256)
PARTS[QUOTE] = TEXT
PARTS[COLON] = KEY
PARTS[COMMA] = VALUE
PARTS[OPEN_OBJECT] = PARTS[OPEN_LIST] = DEEPER
PARTS[CLOSE_OBJECT] = PARTS[CLOSE_LIST] = HIGHER

/**
 * Counts the parts of a body without building any: objects and lists inside each other, keys, values.
 * What is no JSON is counted somehow and left to the parser.
 */
function checkParts(bytes: Uint8Array, limits: JsonLimits): void {
  const parts = { depth: 0, keys: 0, values: 1 }
  for (let at = 0; at < bytes.length; at++) {
    const part = PARTS[bytes[at] as number] as number
    if (part === TEXT) at = endOfText(bytes, at)
    else if (part !== 0) count(parts, part, limits)
  }
}

interface Parts {
  depth: number
  keys: number
  values: number
}

function count(parts: Parts, part: number, limits: JsonLimits): void {
  const { bodyDepthMax, bodyKeysMax, bodyValuesMax } = limits
  if (part === KEY) parts.keys += 1
  else if (part === VALUE) parts.values += 1
  else parts.depth += part === DEEPER ? 1 : -1
  if (parts.depth > bodyDepthMax)
    throw refuse(`嵌套超过 ${bodyDepthMax} 层`, `is nested deeper than ${bodyDepthMax}`)
  if (parts.keys > bodyKeysMax)
    throw refuse(`超过 ${bodyKeysMax} 个键`, `has more than ${bodyKeysMax} keys`)
  if (parts.values > bodyValuesMax)
    throw refuse(`超过 ${bodyValuesMax} 个值`, `has more than ${bodyValuesMax} values`)
}

/** Index of the quote that ends the text which begins at `start`, or the end of all. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === ESCAPE) at++
    else if (bytes[at] === QUOTE) return at
  }
  return bytes.length
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse('不是 UTF-8 编码', 'is not UTF-8')
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('不是有效的 JSON', 'is not valid JSON')
  }
}

/** One pass over the text before it is parsed; text that is no JSON is left to the parser. */
function checkKeys(text: string): void {
  const open: Set<string>[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === OPEN_OBJECT || code === OPEN_LIST) {
      open.push(new Set())
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      open.pop()
    } else if (code === QUOTE) {
      const end = endOfString(text, at)
      if (isBeforeColon(text, end)) checkKey(text.slice(at, end), open.at(-1))
      at = end - 1
    }
  }
}

const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d

function isBeforeColon(text: string, start: number): boolean {
  let at = start
  while (isBlank(text.charCodeAt(at))) at++
  return text.charCodeAt(at) === COLON
}

/** Index after the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === ESCAPE) at++
    else if (code === QUOTE) return at + 1
  }
  throw refuse('不是有效的 JSON', 'is not valid JSON')
}

function checkKey(quoted: string, seen: Set<string> | undefined): void {
  if (seen === undefined) return
  const key = String(parseText(quoted))
  if (FORBIDDEN.has(key))
    throw refuse(`不能有键 ${key}`, `has the key ${key}, which is not allowed`)
  if (seen.has(key)) throw refuse('有重复的键', 'has a key twice')
  seen.add(key)
}

/** The same text for the same content, whatever the order of the keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`)
  return `{${parts.join(',')}}`
}

/** What tells a repeated request from another request under the same key. */
export const requestHash = (validated: object): string =>
  createHash('sha256').update(canonical(validated)).digest('hex')
