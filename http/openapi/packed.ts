import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type Encoding, encodingFor } from '../message/compression.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import { isKnown, notModified } from '../message/validators.ts'

/** Small rather than fast: each is made once, beside the main thread. The best of brotli would take 18 s for a viewer. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
const LEVEL = { level: 9 }
const PACK = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, QUALITY),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, LEVEL),
} as const
const TAG_CHARS = 22

/** Something that never changes while the process runs, with its tag, packed once for each coding that somebody takes. */
export class Packed {
  readonly #plain: Uint8Array
  readonly #headers: Readonly<Record<string, string>>
  readonly #tag: string
  readonly #packed = new Map<Encoding, Promise<Uint8Array>>()

  constructor(plain: Uint8Array, headers: Readonly<Record<string, string>>) {
    this.#plain = plain
    const digest = createHash('sha256').update(plain).digest('base64url').slice(0, TAG_CHARS)
    this.#tag = `"${digest}"`
    // Weak: the same in every coding.
    this.#headers = { ...headers, ETag: `W/${this.#tag}`, Vary: 'Accept-Encoding' }
  }

  async reply(request: HttpRequest): Promise<Reply> {
    if (isKnown(request, this.#tag)) return notModified(`W/${this.#tag}`)
    const encoding = encodingFor(request)
    if (encoding === undefined) return { status: 200, headers: this.#headers, body: this.#plain }
    const headers = { ...this.#headers, 'Content-Encoding': encoding }
    return { status: 200, headers, body: await this.#in(encoding) }
  }

  #in(encoding: Encoding): Promise<Uint8Array> {
    const known = this.#packed.get(encoding)
    if (known !== undefined) return known
    const packed = PACK[encoding](this.#plain)
    this.#packed.set(encoding, packed)
    return packed
  }
}
