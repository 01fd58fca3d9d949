import { hash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import type { NamedToken } from '../../../src/config/tokens.ts'
import { inTime } from '../../in-time.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

/** What a reader that knows nothing but the standard makes of the bytes of one answer. */
interface Heard {
  readonly head: string
  readonly chunks: readonly string[]
  /** The last chunk has come. */
  readonly isWhole: boolean
  /** Bytes that are no part of a chunk; those of a chunk that has not come whole are none of these. */
  readonly stray: string
}

/** Chunks as RFC 9112 writes them, and nothing else: no leniency, no resynchronization. */
function parse(bytes: string): Heard {
  const headEnd = bytes.indexOf('\r\n\r\n') + 4
  const head = bytes.slice(0, headEnd)
  const chunks: string[] = []
  let rest = bytes.slice(headEnd)
  for (;;) {
    const [line, digits = ''] = /^([0-9A-Fa-f]+)\r\n/.exec(rest) ?? []
    if (line === undefined) return { head, chunks, isWhole: false, stray: rest }
    const size = Number.parseInt(digits, 16)
    const end = line.length + size
    if (rest.length < end + 2) return { head, chunks, isWhole: false, stray: '' }
    if (rest.slice(end, end + 2) !== '\r\n') return { head, chunks, isWhole: false, stray: rest }
    if (size === 0) return { head, chunks, isWhole: true, stray: rest.slice(end + 2) }
    chunks.push(rest.slice(line.length, end))
    rest = rest.slice(end + 2)
  }
}

/** An event stream over a bare socket. */
class Reader {
  readonly socket: Socket
  bytes = ''
  #isClosed = false

  constructor(port: number, headers = '') {
    this.socket = connect(port, '127.0.0.1', () =>
      this.socket.write(`GET /api/sse HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`),
    )
    this.socket.on('data', (chunk) => {
      this.bytes += chunk.toString('latin1')
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.#isClosed = true
    })
  }
  get heard(): Heard {
    return parse(this.bytes)
  }
  /** Until this is so, or the connection is closed. */
  async until(isSo: (heard: Heard) => boolean): Promise<Heard> {
    const said = new Promise<Heard>((resolve) => {
      const look = (): void => {
        if (this.#isClosed || isSo(this.heard)) resolve(this.heard)
      }
      this.socket.on('data', look).on('close', look)
      look()
    })
    return inTime(said, 'the end of a stream')
  }
}

const open = async (t: Test, port: number, headers?: string): Promise<Reader> => {
  const reader = new Reader(port, headers)
  t.teardown(() => reader.socket.destroy())
  // The line end after a chunk comes with the next one.
  const { head } = await reader.until(() => reader.bytes.includes('\nid: '))
  t.match(head, /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Transfer-Encoding: chunked\r\n/)
  return reader
}

t.test('a graceful stop ends each stream with its last chunk', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const readers = [await open(t, front.port), await open(t, front.port)]
  await front.close()
  for (const reader of readers) {
    t.match(await reader.until(({ isWhole }) => isWhole), { isWhole: true, stray: '' })
  }
})

const WIDE: NamedToken = {
  name: 'wide',
  hash: `sha256:${hash('sha256', 'wide', 'hex')}`,
  scope: 'view',
  accounts: [],
  expires: '',
}

t.test('a stream whose token is withdrawn ends with its last chunk', async (t) => {
  let changed = (): void => {}
  const tokens = {
    tokens: [WIDE] as readonly NamedToken[],
    isKept: true,
    onChange: (listener: () => void) => {
      changed = listener
    },
  }
  const { front } = await directFront(t, new FakeLink('A'), { tokens })
  const reader = await open(t, front.port, 'X-API-Token: wide\r\n')
  tokens.tokens = []
  changed()
  t.match(await reader.until(({ isWhole }) => isWhole), { isWhole: true, stray: '' })
})

t.test(
  'a client that does not read is cut off within a chunk, and told nothing else',
  async (t) => {
    const link = new FakeLink('A')
    const filler = 'x'.repeat(1_000_000)
    const told = (available: number) =>
      `{"account_info":{"available":${available}},"filler":"${filler}","positions_update":{"version":58,"changed":true}`
    let reads = 0
    link.before = () => {
      reads += 1
      link.texts.events = told(reads)
    }
    const { front } = await directFront(t, link, {
      limits: { sseIntervalMs: 5, sseMissedMax: 2, sseClientsMax: 1 },
    })
    const reader = new Reader(front.port)
    t.teardown(() => reader.socket.destroy())
    await reader.until(({ head }) => head !== '')
    reader.socket.pause()
    // There is room for one stream: it has been ended once there is room again.
    let status = 0
    while (status !== 200) status = (await call(front.port, '/api/sse', { method: 'HEAD' })).status
    reader.socket.resume()
    const { isWhole, stray } = await reader.until(() => false)
    t.strictSame({ isWhole, stray }, { isWhole: false, stray: '' })
  },
)
