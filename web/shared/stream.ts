import { asFault, type Fault } from './fault.ts'
import { bodyOf, headersOf, type Target } from './read.ts'
import { onceSeen, onUnseen, takeSeat } from './stream-seat.ts'

/** `elsewhere`: other tabs of this address have one, and no more are opened. */
export type StreamState = 'connecting' | 'live' | 'down' | 'elsewhere'

interface StreamOptions {
  readonly target: () => Target
  readonly path: string
  readonly onEvent: (event: unknown) => void
  readonly onState: (state: StreamState, fault?: Fault) => void
}

/** Nothing for so long means that the line is dead, whatever the socket says. */
const SILENCE_MS = 15_000
const AGAIN_MS = 1_000
const AGAIN_AFTER_FAULT_MS = 5_000
const BUFFER_MAX = 1_000_000

/**
 * Follows an event stream by fetch, because `EventSource` cannot carry the token header. Comes back by
 * itself after silence, an end or a fault; a refused token ends it. Returns the function that stops it.
 */
export function followStream({ target, path, onEvent, onState }: StreamOptions): () => void {
  let isOver = false
  let abort = new AbortController()
  const over = new AbortController()

  const listen = async (heard: () => void): Promise<void> => {
    const response = await fetch(target().base + path, {
      headers: { ...headersOf(target()), Accept: 'text/event-stream' },
      signal: abort.signal,
      cache: 'no-store',
    })
    const isStream = (response.headers.get('content-type') ?? '').includes('text/event-stream')
    if (!isStream || response.body === null) await bodyOf(response)
    else await consume(response.body, { heard, onEvent, onState })
  }
  const connect = async (): Promise<number> => {
    abort = new AbortController()
    onState('connecting')
    const silence = { timer: setTimeout(() => abort.abort(), SILENCE_MS), sinceMs: Date.now() }
    const heard = (): void => {
      clearTimeout(silence.timer)
      // A computer that wakes up reads first what had come before it slept.
      if (Date.now() - silence.sinceMs > SILENCE_MS) {
        abort.abort()
        throw new RangeError('an event is too old')
      }
      silence.sinceMs = Date.now()
      silence.timer = setTimeout(() => abort.abort(), SILENCE_MS)
    }
    try {
      await listen(heard)
      return AGAIN_MS
    } catch (error) {
      const fault = asFault(error)
      if (!isOver) onState('down', fault)
      if (fault.kind === 'token') isOver = true
      return abort.signal.aborted ? AGAIN_MS : AGAIN_AFTER_FAULT_MS
    } finally {
      clearTimeout(silence.timer)
    }
  }
  const run = async (): Promise<void> => {
    await takeSeat(over.signal, () => onState('elsewhere'))
    onUnseen(over.signal, () => abort.abort())
    while (!isOver) {
      await onceSeen(over.signal)
      const waitMs = await connect()
      if (isOver) break
      onState('down')
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
    over.abort() // its seat is another tab's
  }
  void run()
  return () => {
    isOver = true
    abort.abort()
    over.abort()
  }
}

interface Consumer extends Pick<StreamOptions, 'onEvent' | 'onState'> {
  readonly heard: () => void
}

async function consume(
  body: ReadableStream<Uint8Array>,
  { heard, onEvent, onState }: Consumer,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream).getReader()
  let buffer = ''
  for (;;) {
    const { done, value } = (await reader.read()) as ReadableStreamReadResult<string>
    if (done) return
    heard()
    onState('live')
    const parts = (buffer + value).split('\n\n')
    buffer = parts.pop() ?? ''
    if (buffer.length > BUFFER_MAX) throw new RangeError('an event is too long')
    for (const part of parts) {
      const data = dataOf(part)
      if (data !== undefined) onEvent(data)
    }
  }
}

/** The JSON of one event block; undefined for comments and for what cannot be read. */
export function dataOf(block: string): unknown {
  const text = block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n')
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
