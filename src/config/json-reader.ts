import { err, ok, type Result } from '../domain/result.ts'

const DEPTH_MAX = 32
/** Space, comments of both kinds, and a byte order mark at the very start. */
const BLANK = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /[A-Za-z]+/y
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** What an input method for Chinese writes in place of the signs of JSON, and other habits. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['，', ','],
  ['、', ','],
  ['：', ':'],
  ...['“', '”', '＂', "'", '‘', '’'].map((quote) => [quote, '"'] as const),
  ['｛', '{'],
  ['｝', '}'],
  ...['［', '【'].map((bracket) => [bracket, '['] as const),
  ...['］', '】'].map((bracket) => [bracket, ']'] as const),
  ['#', '//'],
])
/** Blanks that are none for JSON, and what has no width at all: nobody sees them. */
const UNSEEN = /^[\s\p{Zs}\p{Cf}]$/u
/** The beginning of a text, up to a backslash that means nothing. */
const BAD_ESCAPE = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*\\/uy

class SyntaxFault extends Error {}

/**
 * JSON as people write it: comments and trailing commas are allowed, a byte order mark is skipped.
 * A key that occurs twice is an error, because one of the two would silently lose.
 *
 * Objects have no prototype, so that a key `__proto__` is a key like any other.
 *
 * Errors  `line:column: what is wrong`, without a word of the text itself: it may hold a secret.
 */
export function readJson(text: string): Result<unknown, string> {
  try {
    return ok(new Reader(text).document())
  } catch (fault) {
    if (fault instanceof SyntaxFault) return err(fault.message)
    throw fault
  }
}

class Reader {
  readonly #text: string
  #at: number

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\uFEFF') ? 1 : 0
  }

  document(): unknown {
    const value = this.#value(0)
    if (this.#peek() !== '') this.#fail('此后不应再有内容 (expected the end of the file)')
    return value
  }

  #value(depth: number): unknown {
    if (depth > DEPTH_MAX)
      this.#fail(`嵌套超过 ${DEPTH_MAX} 层 (nested deeper than ${DEPTH_MAX} levels)`)
    const next = this.#peek()
    if (next === '{') return this.#object(depth)
    if (next === '[') return this.#array(depth)
    if (next === '"') return this.#string()
    if (next === '-' || (next >= '0' && next <= '9')) return this.#number()
    return this.#word()
  }

  #object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = Object.create(null)
    this.#at++
    while (!this.#closes('}')) {
      if (this.#peek() !== '"')
        this.#fail('这里应为带双引号的名称或 "}" (expected a key in double quotes or "}")')
      const start = this.#at
      const key = this.#string()
      if (Object.hasOwn(object, key))
        this.#fail('这个名称在同一个对象里出现了两次 (this key occurs twice in its object)', start)
      if (this.#peek() !== ':') this.#fail('这里应为 ":" (expected ":")')
      this.#at++
      object[key] = this.#value(depth + 1)
      this.#separator('}')
    }
    return object
  }

  #array(depth: number): unknown[] {
    const array: unknown[] = []
    this.#at++
    while (!this.#closes(']')) {
      array.push(this.#value(depth + 1))
      this.#separator(']')
    }
    return array
  }

  #closes(bracket: string): boolean {
    if (this.#peek() !== bracket) return false
    this.#at++
    return true
  }

  #separator(bracket: string): void {
    const next = this.#peek()
    if (next === ',') this.#at++
    else if (next !== bracket)
      this.#fail(`这里应为 "," 或 "${bracket}" (expected "," or "${bracket}")`)
  }

  #string(): string {
    const token = this.#take(STRING)
    if (token === '') this.#failText()
    return JSON.parse(token) as string
  }

  #failText(): never {
    const start = this.#at
    if (this.#take(BAD_ESCAPE) === '')
      this.#fail('这段文字在本行没有结束的双引号 (this text is not closed on its line)', start)
    const text =
      '路径里的 \\ 请写成 / 或 \\\\ (this text has a \\ that JSON does not know: write / or \\\\ in paths)'
    this.#fail(text, start)
  }

  #number(): number {
    const start = this.#at
    const token = this.#take(NUMBER)
    if (token === '' || this.#take(WORD) !== '')
      this.#fail('这不是数字 (this is not a number)', start)
    return Number(token)
  }

  #word(): unknown {
    const start = this.#at
    const word = this.#take(WORD)
    if (!WORDS.has(word)) this.#fail('这里应有一个值 (expected a value)', start)
    return WORDS.get(word)
  }

  /** The next character that is not blank; empty at the end. */
  #peek(): string {
    this.#take(BLANK)
    return this.#text.charAt(this.#at)
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const token = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += token.length
    return token
  }

  #fail(what: string, at = this.#at): never {
    const before = this.#text.slice(0, at).split('\n')
    const column =
      (before.at(-1)?.length ?? 0) +
      1 -
      (before.length === 1 && this.#text.startsWith('\uFEFF') ? 1 : 0)
    throw new SyntaxFault(`${before.length}:${column}: ${what}${hintOf(this.#text.charAt(at))}`)
  }
}

/** What to write in place of a character that is often typed by mistake; empty for any other. */
function hintOf(character: string): string {
  const meant = MEANT.get(character)
  if (meant !== undefined)
    return `；${character} 请改成 ${meant} (write ${meant} in place of ${character})`
  if (!UNSEEN.test(character)) return ''
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  return `；这里有看不见的字符 ${code}，请删除 (remove the character ${code} here, which cannot be seen)`
}
