import { normalizeCode } from '../../domain/instrument.ts'
import { type Price, reportedPrice } from '../../domain/money.ts'
import type { Instrument } from '../../ports/market-source.port.ts'
import type { InstrumentRow } from './frames.ts'

/** Descriptions of codes as a terminal gives them; what is none is left out, and what is missing is not known. */
export function instrumentsOf(rows: unknown): readonly Instrument[] {
  if (typeof rows !== 'object' || rows === null) return []
  return Object.entries(rows).flatMap(([code, row]) => {
    const known = normalizeCode(code)
    if (!known.ok || typeof row !== 'object' || row === null) return []
    return [instrumentOf(known.value, row)]
  })
}

/** Codes as a terminal lists them, each once; what is none is left out. */
export function listedOf(codes: unknown): readonly string[] {
  if (!Array.isArray(codes)) return []
  const known = codes.map((code) => normalizeCode(String(code)))
  return [...new Set(known.flatMap((code) => (code.ok ? [code.value] : [])))]
}

const instrumentOf = (code: string, row: Partial<InstrumentRow>): Instrument => ({
  code,
  name: typeof row.name === 'string' ? row.name.trim() : '',
  lastClose: priceOf(row.pre_close),
  lowerLimit: priceOf(row.down),
  upperLimit: priceOf(row.up),
  tickSize: priceOf(row.tick),
  lotMin: numberOf(row.lot_min),
})

const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
const priceOf = (yuan: unknown): Price => reportedPrice(numberOf(yuan))
