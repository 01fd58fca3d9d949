import { createHash } from 'node:crypto'
import { ServiceError } from '../src/domain/errors.ts'

export type JsonObject = Readonly<Record<string, unknown>>

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const refuse = (why: string): ServiceError => new ServiceError('BAD_JSON', `the body ${why}`)

/**
 * Bytes into a JSON object. Refuses nesting deeper than `depthMax`, keys that could reach a
 * prototype, and a key given twice: two readers of such a body may see two different orders.
 *
 * Errors  throws `BAD_JSON`.
 */
export function parseJsonObject(bytes: Uint8Array, depthMax: number): JsonObject {
  const text = decodeText(bytes)
  checkShape(text, depthMax)
  const value = parseText(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('must be a JSON object')
  }
  return value as JsonObject
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse('is not UTF-8')
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('is not valid JSON')
  }
}

/** One pass over the text before it is parsed; text that is no JSON is left to the parser. */
function checkShape(text: string, depthMax: number): void {
  const open: Set<string>[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '{' || char === '[') {
      if (open.push(new Set()) > depthMax) throw refuse(`is nested deeper than ${depthMax}`)
    } else if (char === '}' || char === ']') {
      open.pop()
    } else if (char === '"') {
      const end = endOfString(text, at)
      checkKey(text.slice(at, end), text.slice(end, end + 16), open.at(-1))
      at = end - 1
    }
  }
}

/** Index after the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  throw refuse('is not valid JSON')
}

function checkKey(quoted: string, following: string, seen: Set<string> | undefined): void {
  if (seen === undefined || !/^\s*:/.test(following)) return
  const key = String(parseText(quoted))
  if (FORBIDDEN.has(key)) throw refuse(`has the key ${key}, which is not allowed`)
  if (seen.has(key)) throw refuse('has a key twice')
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
