import { err, ok, type Result } from '../../domain/result.ts'

const LEAD = { first: 0x81, last: 0xfe } as const
const TRAIL = { first: 0x40, last: 0xfe, none: 0x7f } as const
const ASCII_MAX = 0x7f
const NOT_A_CHARACTER = '\ufffd'
/** Signs of its own making, of which decoders disagree. */
const PRIVATE = /[\ue000-\uf8ff]/
/** Only in the later GB 18030: Python's GBK does not read them. */
const LATER =
  /[\u01f9\u1e3f\u20ac\u2e81-\u2eff\u2ff0-\u2fff\u303e\u3447-\u4dff\u9fa6-\u9fff\ufe10-\ufe1f]/

/** Two bytes for each sign, read back from the decoder that every JavaScript has. */
function makeTable(): ReadonlyMap<string, readonly [lead: number, trail: number]> {
  const decoder = new TextDecoder('gbk')
  const table = new Map<string, [number, number]>()
  for (let lead: number = LEAD.first; lead <= LEAD.last; lead++) {
    for (let trail: number = TRAIL.first; trail <= TRAIL.last; trail++) {
      if (trail === TRAIL.none) continue
      const sign = decoder.decode(Uint8Array.of(lead, trail))
      const isOne = sign.length === 1 && sign !== NOT_A_CHARACTER
      if (isOne && !PRIVATE.test(sign) && !LATER.test(sign) && !table.has(sign)) {
        table.set(sign, [lead, trail])
      }
    }
  }
  return table
}

let table: ReturnType<typeof makeTable> | undefined

/**
 * Text as GBK, which scripts of the terminal are written in.
 *
 * Errors  the characters that GBK does not have, each once.
 */
export function encodeGbk(text: string): Result<Uint8Array, readonly string[]> {
  table ??= makeTable()
  const bytes: number[] = []
  const unknown = new Set<string>()
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0
    const pair = code <= ASCII_MAX ? [code] : table.get(sign)
    if (pair === undefined) unknown.add(sign)
    else bytes.push(...pair)
  }
  return unknown.size === 0 ? ok(Uint8Array.from(bytes)) : err([...unknown])
}
