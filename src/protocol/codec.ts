import { Packr } from 'msgpackr/pack'

/**
 * The one place that turns messages and records into bytes: plain msgpack maps, no private
 * extensions, so that a sidecar in another language can read them too.
 *
 * Note   integers above 2³² travel as float64 (exact up to 2⁵³).
 */
const packr = new Packr({ useRecords: false, mapsAsObjects: true })

export const encode = (value: unknown): Uint8Array => packr.pack(value)
/** Throws on truncated or malformed bytes. The caller knows the type because it knows the port. */
export const decode = <T>(bytes: Uint8Array): T => packr.unpack(bytes) as T
