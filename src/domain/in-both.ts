/**
 * Texts of ours stand in one string, `中文 (english)`. This is the one place that knows how to take them apart; the
 * service and the pages use it, so it imports nothing.
 *
 * What is English stands in brackets after a space, without a Chinese character, and says something (two letters).
 * Several may follow one another (`甲 (a)，乙 (b)`), and one without Chinese of its own before it speaks of all that
 * went before: `丙：甲 (a) [CODE] (c)`. A field in front, `price: 甲 (a)`, is named in both. What stands in “…” is somebody's own word: it is never cut, and said in both
 * languages. So is all that follows an English part and `: `, as texts of earlier releases were put together.
 */
export interface InBoth {
  readonly zh: string
  readonly en: string
}

const OPEN = ' ('
const CHINESE = /[\u3400-\u9fff]/
const LETTERS = /[A-Za-z]{2}/
const QUOTED = /“[^”]*”/g
/** Not the place of an entry, as in `accounts[0]`. */
const CODES = /(?<![A-Za-z0-9_])\[[A-Za-z0-9_]+\]/g
/** How the Chinese part goes on after an English one, and what that is in English. */
const JOINTS: readonly (readonly [RegExp, string])[] = [
  [/^[：:]/, ': '],
  [/^[，,、]/, ', '],
]

const withoutQuoted = (text: string): string =>
  text.includes('“') ? text.replace(QUOTED, '') : text
const isChinese = (text: string): boolean => CHINESE.test(withoutQuoted(text))

/** A Chinese part and the English that stands behind it. */
interface Piece {
  readonly zh: string
  readonly en: string
}

/** The two languages of a text. One that lacks a language is the whole text in both. */
export function inBoth(text: string): InBoth {
  // Most texts have no bracket of the kind: they cost one look.
  if (!text.includes(OPEN)) return { zh: text, en: text }
  const { pieces, rest } = piecesOf(text)
  if (pieces.length === 0) return { zh: text, en: text }
  const chinese = pieces.map(({ zh }) => zh).join('')
  return { zh: `${chinese}${tailInChinese(rest)}`.trim(), en: english(pieces, rest) }
}

/** A quotation, or a code of ours as it stands in a text: `[LOT_SIZE]`, `[suspended]`. Numbers are the counter's. */
const CODE_OR_QUOTED = /“[^”]*”| ?\[[A-Za-z]+(?:_[A-Za-z]+)*\] ?/g

/** A text without our codes, for whoever finds them beside it. What somebody has said is left as it is. */
export const withoutCodes = (text: string): string =>
  text
    .replace(CODE_OR_QUOTED, (found) => (found.startsWith('“') ? found : ' '))
    .replace(/ (?=[；，：。]|$)/g, '')
    .trim()

/** Somebody's own words within a text of ours. */
export const inQuotes = (words: string): string =>
  words === '' ? '' : `“${words.replace(/[“”]/g, "'")}”`

/** A text with what it is about in front, in both languages: each is read without the other. */
export function about({ zh, en }: InBoth, text: string): string {
  const said = inBoth(text)
  return said.zh === said.en ? `${zh}${text}` : `${zh}${said.zh} (${en}${said.en})`
}

function piecesOf(text: string): { readonly pieces: readonly Piece[]; readonly rest: string } {
  const pieces: Piece[] = []
  let from = 0
  let at = nextOpen(text, 0)
  while (at >= 0) {
    const end = englishEnd(text, at)
    if (end === undefined || (pieces.length === 0 && !isChinese(text.slice(0, at)))) {
      at = nextOpen(text, at + 1)
      continue
    }
    pieces.push({ zh: text.slice(from, at), en: text.slice(at + OPEN.length, end) })
    from = end + 1
    // What follows a colon is somebody's own.
    at = text.startsWith(': ', from) ? -1 : nextOpen(text, from)
  }
  return { pieces, rest: text.slice(from) }
}

/** The next bracket that no quotation holds; -1 when there is none. */
function nextOpen(text: string, from: number): number {
  let at = text.indexOf(OPEN, from)
  let quote = text.indexOf('“', from)
  while (quote >= 0 && quote < at) {
    const end = afterQuote(text, quote)
    if (at < end) at = text.indexOf(OPEN, end)
    quote = text.indexOf('“', end)
  }
  return at
}

function afterQuote(text: string, at: number): number {
  const end = text.indexOf('”', at)
  return end < 0 ? at + 1 : end + 1
}

/** Where the bracket that begins here, after a space, ends, if what it holds is English. */
function englishEnd(text: string, at: number): number | undefined {
  const end = closing(text, at + 1)
  if (end === undefined) return undefined
  const inner = withoutQuoted(text.slice(at + 2, end))
  return LETTERS.test(inner) && !CHINESE.test(inner) ? end : undefined
}

function closing(text: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '“') at = afterQuote(text, at) - 1
    else if (text[at] === '(') depth += 1
    else if (text[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return undefined
}

const tailInChinese = (rest: string): string =>
  rest.startsWith(': ') ? `：${rest.slice(2)}` : rest

function english(pieces: readonly Piece[], rest: string): string {
  let said = ''
  for (const { zh, en } of pieces) {
    const own = `${fieldBefore(zh, en)}${en}${factsBeside(zh, en)}`
    if (said === '') said = `${codesBefore(zh)}${own}${codesAfter(zh)}`
    else if (isChinese(zh)) said = `${said}${jointOf(zh)}${own}`
    else said = `${en}: ${said}${codesAfter(` ${zh}`)}`
  }
  if (rest.startsWith(': ') || !isChinese(rest)) return `${said}${rest}`.trim()
  return said
}

const jointOf = (zh: string): string =>
  JOINTS.find(([mark]) => mark.test(zh.trimStart()))?.[1] ?? '; '

/** What is quoted in the Chinese part belongs to both. */
function factsBeside(zh: string, en: string): string {
  if (!zh.includes('“')) return ''
  const quoted = (zh.match(QUOTED) ?? []).filter((words) => !en.includes(words))
  return quoted.length === 0 ? '' : `: ${quoted.join(', ')}`
}

const FIELD = /^(?:; ?)?([A-Za-z][A-Za-z0-9_.]*: )/
/** The field of a request that a text is about, `order_volume: `, is named in both. */
function fieldBefore(zh: string, en: string): string {
  const field = FIELD.exec(zh)?.[1] ?? ''
  return en.startsWith(field) ? '' : field
}

/** A code in front of a text, `[LOT_SIZE]`, stays in front. */
const codesBefore = (zh: string): string => /^(\[[A-Za-z0-9_]+\] ?)+/.exec(zh)?.[0] ?? ''

const codesAfter = (zh: string): string => {
  if (!zh.includes('[')) return ''
  const codes = withoutQuoted(zh.replace(/^(\[[A-Za-z0-9_]+\] ?)+/, '')).match(CODES) ?? []
  return codes.map((code) => ` ${code}`).join('')
}
