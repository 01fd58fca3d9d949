import { connect, type Socket } from 'node:net'
import t from 'tap'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

/** `STEWARD_SSE_CLIENTS=1000` runs the full size; one in twenty never reads. */
const CLIENTS = Number(process.env['STEWARD_SSE_CLIENTS'] ?? 60)
const SILENT = Math.max(3, Math.floor(CLIENTS / 20))
const READERS = CLIENTS - SILENT
const EVENTS = 40
/** As much as the buffers of a connection hold is soon full of events of this size. */
const PADDING = 'x'.repeat(CLIENTS > 200 ? 131_072 : 262_144)
const MEMORY_BYTES_MAX = 300 * 1_048_576

const eventText = (seq: number): string =>
  `{"account_info":{"seq":${seq},"padding":"${PADDING}"},"positions_update":{"version":${seq},"changed":true}`

const SUBSCRIBE = 'GET /api/sse HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Reads the numbers of the events as they come, without keeping their text. */
class Reader {
  readonly seen: number[] = []
  readonly socket: Socket
  #tail = ''

  constructor(port: number, heard: () => void) {
    this.socket = connect(port, '127.0.0.1', () => this.socket.write(SUBSCRIBE))
    this.socket.on('data', (chunk) => {
      const text = this.#tail + chunk.toString('latin1')
      let end = 0
      for (const match of text.matchAll(/"seq":(\d+),/g)) {
        this.seen.push(Number(match[1]))
        end = match.index + match[0].length
      }
      this.#tail = text.slice(Math.max(end, text.length - 32))
      heard()
    })
  }
}

const silentClient = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause()
      socket.write(SUBSCRIBE, () => resolve(socket))
    })
    socket.on('error', () => {}) // cut off in the end
  })

t.test(`${CLIENTS} streams, ${SILENT} of which never read`, { timeout: 240_000 }, async (t) => {
  const link = new FakeLink('A')
  link.texts.events = eventText(1)
  const { front } = await directFront(t, link, {
    limits: {
      sseClientsMax: CLIENTS,
      sseClientsPerTokenMax: CLIENTS,
      sseIntervalMs: 5,
      sseSilenceMs: 600_000, // a repetition would look like an event got twice
      sseMissedMax: 5,
    },
  })
  let heard = (): void => {}
  const readers = Array.from({ length: READERS }, () => new Reader(front.port, () => heard()))
  const silent = await Promise.all(Array.from({ length: SILENT }, () => silentClient(front.port)))
  t.teardown(() => {
    for (const socket of [...silent, ...readers.map(({ socket }) => socket)]) socket.destroy()
  })
  const everybodyHas = (seq: number) =>
    new Promise<void>((resolve) => {
      heard = () => {
        if (readers.every(({ seen }) => seen.at(-1) === seq)) resolve()
      }
      heard()
    })
  await everybodyHas(1)
  const before = process.memoryUsage().rss
  let highest = before
  for (let seq = 2; seq <= EVENTS; seq++) {
    link.texts.events = eventText(seq)
    await everybodyHas(seq)
    highest = Math.max(highest, process.memoryUsage().rss)
  }
  const wanted = Array.from({ length: EVENTS }, (_, index) => index + 1)
  const incomplete = readers.filter(({ seen }) => seen.join() !== wanted.join())
  t.equal(incomplete.length, 0, 'those who read got every event, once and in order')
  t.ok(highest - before < MEMORY_BYTES_MAX, `memory grew by ${(highest - before) >> 20} MiB`)
  t.comment(`memory grew by ${(highest - before) >> 20} MiB over ${EVENTS} events`)
  const cut = silent.map((socket) => new Promise<void>((resolve) => socket.once('close', resolve)))
  for (const socket of silent) socket.resume()
  await Promise.all(cut)
  t.pass('those who did not read have been cut off')
})
