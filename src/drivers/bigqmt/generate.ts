import { createHash } from 'node:crypto'
import { err, ok, type Result } from '../../domain/result.ts'
import { encodeGbk } from './gbk.ts'

/** A module of the script, such as `orders`, and its Python. */
export interface ScriptPart {
  readonly name: string
  readonly text: string
}
/** In their order: each imports earlier ones only. */
export type ScriptParts = readonly ScriptPart[]

/** What the script knows of its account and of this service; as one literal in its head. */
export interface ScriptSettings {
  readonly account_id: string
  readonly account_type: string
  /** The secret that both sides know. */
  readonly token: string
  /** Of the service. */
  readonly version: string
  readonly transport: 'socket' | 'files'
  readonly host: string
  readonly port: number
  /** On the computer of the terminal. */
  readonly folder: string
  readonly limits: Readonly<Record<string, number>>
}

const PLACE_OF_SETTINGS = /^SETTINGS = \{\}$/m
const IMPORTED_FROM = /^from (\w+) import (\([^)]*\)|[^\n(]*)\n/gm
const IMPORTED = /^import (\w+)/gm
const DEFINED = /^(?:(?:def|class) (\w+)|([A-Za-z_]\w*(?:, *[A-Za-z_]\w*)*) *=[^=])/gm
const DIGEST_CHARS = 16
/** In the first lines of every script: files that bear it may be written over. */
export const MARK = 'steward script bigqmt'

/** Which script it is, whoever's it is: one with another digest is of another version of this service. */
export const digestOf = (parts: ScriptParts): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map(({ name, text }) => [name, plain(text)])))
    .digest('hex')
    .slice(0, DIGEST_CHARS)

/**
 * The one file that runs inside the full terminal: its parts one after the other, the settings
 * in their place, in GBK with the line ends of Windows.
 *
 * Errors  one line: what cannot be joined, or is not in GBK.
 */
export function generateScript(
  parts: ScriptParts,
  settings: ScriptSettings,
): Result<Uint8Array, string> {
  const joined = join(parts)
  if (!joined.ok) return joined
  const literal = asciiOf(JSON.stringify({ ...settings, digest: digestOf(parts) }, null, 1))
  const text = `${headOf(settings)}${joined.value}`
  if (text.split(PLACE_OF_SETTINGS).length !== 2) return err('no one place for the settings')
  const whole = text.replace(PLACE_OF_SETTINGS, () => `SETTINGS = ${literal}`)
  const encoded = encodeGbk(whole.replaceAll('\n', '\r\n'))
  if (encoded.ok) return encoded
  return err(`not in GBK: ${encoded.error.map(named).join(', ')}`)
}

const named = (sign: string): string =>
  `${sign} (U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`

const plain = (text: string): string => text.replaceAll('\r\n', '\n')

const headOf = ({ account_id, version }: ScriptSettings): string => `#coding:gbk
# ${MARK}: Steward ${version}, 资金账号 ${account_id}
# 由 Steward 生成，请勿修改，也不要发给他人：其中有本账户的密钥。重新生成：steward script bigqmt --account ${account_id}
# Generated: do not change it, and show it to nobody, for it holds the secret of this account.

`

/** Imports between parts fall away: it is one file. */
function join(parts: ScriptParts): Result<string, string> {
  const places = new Map(parts.map(({ name }, place) => [name, place]))
  for (const [place, part] of parts.entries()) {
    const problem = importProblem(part, (name) => {
      const of = places.get(name)
      return of === undefined ? 'foreign' : of < place ? 'earlier' : 'later'
    })
    if (problem !== undefined) return err(problem)
  }
  const twice = definedTwice(parts)
  if (twice !== undefined) return err(twice)
  const texts = parts.map(({ name, text }) => {
    const own = plain(text).replace(IMPORTED_FROM, (line, of) => (places.has(of) ? '' : line))
    return `# ---- ${name} ----\n${own}`
  })
  return ok(texts.join('\n\n'))
}

function importProblem(
  { name, text }: ScriptPart,
  standing: (name: string) => 'foreign' | 'earlier' | 'later',
): string | undefined {
  const source = plain(text)
  for (const [, of = ''] of source.matchAll(IMPORTED)) {
    if (standing(of) !== 'foreign') return `${name} imports all of ${of}; name what it needs`
  }
  for (const [, of = '', names = ''] of source.matchAll(IMPORTED_FROM)) {
    if (standing(of) === 'foreign') continue
    if (standing(of) === 'later') return `${name} imports ${of}, which comes after it`
    if (/\bas\b|\*/.test(names)) return `${name} renames what it imports of ${of}`
  }
  return undefined
}

/** In one file the same name is one thing. */
function definedTwice(parts: ScriptParts): string | undefined {
  const owners = new Map<string, string>()
  for (const { name, text } of parts) {
    for (const defined of definedIn(plain(text))) {
      const before = owners.get(defined)
      if (before !== undefined) return `${defined} stands in ${before} and in ${name}`
      owners.set(defined, name)
    }
  }
  return undefined
}

const definedIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(DEFINED)].flatMap(([, one, several = '']) =>
      one === undefined ? several.split(/, */) : [one],
    ),
  )

/** As Python writes what is not ASCII; a path may hold signs that GBK does not have. */
const asciiOf = (json: string): string =>
  json.replace(/[^\0-\x7f]/gu, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16)
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
  })
