import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Reply, StreamReply } from './reply.ts'
import type { HttpRequest } from './request.ts'
import type { Incoming, Route } from './routes.ts'

export interface CompressionLimits {
  /** Bytes of an answer; a shorter one goes as it is. */
  readonly compressBytesMin: number
  /** Answers being compressed; one more goes as it is. */
  readonly compressionsMax: number
}

export type Encoding = 'br' | 'gzip'
type Outcome = Reply | StreamReply

const VARY = { Vary: 'Accept-Encoding' } as const
/** Fast rather than small: most of what can be saved, for a few milliseconds beside the main thread. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const LEVEL = { level: 5 }
const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/**
 * Compresses large answers for callers that ask for it, on the threads of zlib. What is answered from
 * memory goes as it is: read models, which have a tag and are mostly answered by 304, and event streams.
 */
export class Compression {
  readonly #limits: CompressionLimits
  #open = 0

  constructor(limits: CompressionLimits) {
    this.#limits = limits
  }

  /** The route with its large answers compressed. */
  around(route: Route): Route {
    const handle = (incoming: Incoming): Outcome | Promise<Outcome> => {
      const outcome = route.handle(incoming)
      if (!(outcome instanceof Promise)) return this.#packed(incoming.request, outcome)
      return outcome.then((reply) => this.#packed(incoming.request, reply))
    }
    return { ...route, handle }
  }

  #packed(request: HttpRequest, reply: Outcome): Outcome | Promise<Outcome> {
    if ('stream' in reply || !this.#isWorthIt(reply)) return reply
    const varying: Reply = { ...reply, headers: { ...reply.headers, ...VARY } }
    const encoding = encodingFor(request)
    if (encoding === undefined || this.#open >= this.#limits.compressionsMax) return varying
    return this.#compress(varying, encoding)
  }

  #isWorthIt({ status, headers, body }: Reply): boolean {
    return (
      status === 200 &&
      body.length >= this.#limits.compressBytesMin &&
      headers?.['ETag'] === undefined &&
      headers?.['Content-Encoding'] === undefined
    )
  }

  async #compress(reply: Reply, encoding: Encoding): Promise<Reply> {
    this.#open += 1
    try {
      const body = await (encoding === 'br' ? brotli(reply.body, QUALITY) : zip(reply.body, LEVEL))
      if (body.length >= reply.body.length) return reply
      return { ...reply, headers: { ...reply.headers, 'Content-Encoding': encoding }, body }
    } finally {
      this.#open -= 1
    }
  }
}

/** The better one of those that the caller takes; undefined: neither, or it prefers none. */
export function encodingFor({ headers }: HttpRequest): Encoding | undefined {
  const asked = headers.get('accept-encoding')
  if (asked === undefined) return undefined
  const weights = new Map<string, number>()
  for (const part of asked.toLowerCase().split(',', WORDS_MAX)) {
    const [name = '', ...parameters] = part.split(';')
    const quality = parameters.find((each) => each.trim().startsWith('q='))
    const weight = quality === undefined ? 1 : Number(quality.trim().slice(2))
    weights.set(name.trim(), Number.isFinite(weight) ? weight : 0)
  }
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0
  const [br, gz] = [weightOf('br'), weightOf('gzip')]
  if (Math.max(br, gz) <= (weights.get('identity') ?? 0) && weights.has('identity'))
    return undefined
  if (br > 0 && br >= gz) return 'br'
  return gz > 0 ? 'gzip' : undefined
}

/** Nobody names more codings than this and means it. */
const WORDS_MAX = 16
