import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import type { EventStream } from '../../../http/message/reply.ts'
import { EventFeed } from '../../../http/stream/sse.ts'
import { ServiceError } from '../../../src/domain/errors.ts'
import { heard, inTime } from '../../in-time.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink, NOW_MS, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

const LIMITS = {
  sseClientsMax: 2,
  sseClientsPerTokenMax: 2,
  sseIntervalMs: 5,
  sseSilenceMs: 60_000,
  sseMissedMax: 2,
  sseKeptMax: 3,
  retryAfterSeconds: 1,
  readTimeoutMs: 1_000,
} as const

/** The write side of one client, kept by the test. */
class FakeStream implements EventStream {
  readonly events: Record<string, unknown>[] = []
  readonly ids: string[] = []
  comments = 0
  isEnded = false
  keepsUp = true
  #drained: () => void = () => {}
  #closed: () => void = () => {}
  #waiting: (() => void)[] = []

  write(text: string): boolean {
    for (const [, data = '', id = ''] of text.matchAll(/^data: (.*)\n\nid: (.*)\n\n/gm)) {
      this.events.push(JSON.parse(data))
      this.ids.push(id)
    }
    if (text.startsWith(':')) this.comments += 1
    for (const resolve of this.#waiting.splice(0)) resolve()
    return this.keepsUp
  }
  onDrain(drained: () => void): void {
    this.#drained = drained
  }
  onClose(closed: () => void): void {
    this.#closed = closed
  }
  end(): void {
    this.isEnded = true
    this.#closed()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
  drain(): void {
    this.keepsUp = true
    this.#drained()
  }
  async until(count: number): Promise<void> {
    while (this.events.length < count && !this.isEnded) {
      const coming = new Promise<void>((resolve) => this.#waiting.push(resolve))
      await inTime(coming, `event ${count} of a stream`)
    }
  }
}

const eventsText = (version: number, available = 1): string =>
  `{"account_info":{"available":${available}},"positions_update":{"version":${version},"changed":true}`

const feedOf = (link: FakeLink, limits: Partial<typeof LIMITS> | object = {}): EventFeed =>
  new EventFeed({
    clock: { nowMs: () => NOW_MS },
    limits: { ...LIMITS, ...limits },
    find: () => link,
  })

/** What the feed reads of a request. */
const asking = (lastId?: string, name = '') => ({
  caller: { name, scope: 'view' as const, accounts: undefined },
  headers: new Map(lastId === undefined ? [] : [['last-event-id', lastId]]),
})

function join(feed: EventFeed, lastId?: string): FakeStream {
  const stream = new FakeStream()
  feed.open(asking(lastId)).stream(stream)
  return stream
}

t.test('over HTTP: headers of a stream, unnamed events of one line', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const request = get({ host: '127.0.0.1', port: front.port, path: '/api/sse', agent: false })
  const [response] = (await heard(request, 'response')) as [IncomingMessage]
  t.equal(response.statusCode, 200)
  t.match(response.headers['content-type'], /^text\/event-stream/)
  t.equal(response.headers['cache-control'], 'no-cache')
  t.equal(response.headers['x-accel-buffering'], 'no')
  const [chunk] = await heard(response, 'data')
  t.match(String(chunk), /^data: \{[^\n]*\}\n\nid: [0-9a-f]+-1\n\n$/)
  t.strictSame(JSON.parse(String(chunk).slice('data: '.length, String(chunk).indexOf('\n'))), {
    timestamp: NOW_TEXT,
    account_info: { available: 1 },
    positions_update: { version: 58, changed: true },
  })
  request.destroy()
})

t.test(
  'over HTTP: one stream too many is refused, HEAD opens none, closing ends all',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'), {
      limits: { sseClientsMax: 1 },
    })
    t.equal((await call(front.port, '/api/sse', { method: 'HEAD' })).status, 200)
    const request = get({ host: '127.0.0.1', port: front.port, path: '/api/sse', agent: false })
    const [response] = (await heard(request, 'response')) as [IncomingMessage]
    response.resume()
    const refused = await call(front.port, '/api/sse')
    t.equal(refused.status, 503)
    t.match(refused.body, { code: 'OVERLOADED' })
    t.equal(refused.headers['retry-after'], '1')
    await Promise.all([once(response, 'end'), front.close()])
  },
)

t.test('over HTTP: a client that leaves makes room for another', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'), {
    limits: { sseClientsMax: 1 },
  })
  for (let i = 0; i < 3; i++) {
    const request = get({ host: '127.0.0.1', port: front.port, path: '/api/sse', agent: false })
    const [response] = (await heard(request, 'response')) as [IncomingMessage]
    t.equal(response.statusCode, 200)
    response.on('error', () => {}) // cut off by ourselves
    const closed = new Promise((resolve) => response.on('close', resolve))
    request.destroy()
    await closed
    await call(front.port, '/') // the server has seen the end before it answers this
  }
})

t.test('over HTTP: a client that comes back says which event it had last', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const listen = async (headers: Record<string, string>) => {
    const options = { host: '127.0.0.1', port: front.port, path: '/api/sse', agent: false, headers }
    const request = get(options)
    const [response] = (await heard(request, 'response')) as [IncomingMessage]
    const [chunk] = await heard(response, 'data')
    request.destroy()
    return String(chunk)
  }
  const id = /\nid: (.+)\n/.exec(await listen({}))?.[1] ?? ''
  t.match(await listen({ 'Last-Event-ID': id }), /^: resumed\n\n/)
  t.match(await listen({ 'Last-Event-ID': 'another' }), /^data: /)
})

t.test(
  'changed is true first, then only when the version differs from the last one sent',
  async (t) => {
    const link = new FakeLink('A')
    link.texts.events = eventsText(58)
    const feed = feedOf(link)
    t.teardown(() => feed.close())
    const stream = join(feed)
    const steps = [eventsText(58, 2), eventsText(59, 2), eventsText(59, 3), eventsText(3, 3)]
    for (const [index, text] of steps.entries()) {
      await stream.until(index + 1)
      link.texts.events = text
    }
    await stream.until(5)
    t.strictSame(
      stream.events.map(({ positions_update }) => positions_update),
      [
        { version: 58, changed: true },
        { version: 58, changed: false },
        { version: 59, changed: true },
        { version: 59, changed: false },
        { version: 3, changed: true },
      ],
      'a lower version is a restart, so it is a change',
    )
  },
)

t.test('the first event is not a change at version 0', async (t) => {
  const link = new FakeLink('A')
  link.texts.events = eventsText(0)
  const feed = feedOf(link)
  t.teardown(() => feed.close())
  const stream = join(feed)
  await stream.until(1)
  t.strictSame(stream.events[0]?.['positions_update'], { version: 0, changed: false })
})

t.test('nothing is sent while nothing changes, until the silence has lasted', async (t) => {
  const link = new FakeLink('A')
  const quiet = feedOf(link)
  t.teardown(() => quiet.close())
  const first = join(quiet)
  await first.until(1)
  const reads = link.options.length
  await new Promise<void>((resolve) => {
    link.before = () => {
      if (link.options.length > reads + 3) resolve()
    }
  })
  t.equal(first.events.length, 1)

  const talking = feedOf(link, { sseSilenceMs: 0 })
  t.teardown(() => talking.close())
  const second = join(talking)
  await second.until(3)
  t.equal(second.events.length >= 3, true)
})

t.test(
  'F839 an unchanged event comes at the look nearest to the silence, not one later',
  async (t) => {
    const link = new FakeLink('A')
    const feed = feedOf(link, { sseIntervalMs: 20, sseSilenceMs: 25 })
    t.teardown(() => feed.close())
    const stream = join(feed)
    await stream.until(4)
    t.equal(link.options.length, stream.events.length, 'no look went by in vain')
  },
)

t.test(
  'one read serves all clients, and a later client gets its first event at once',
  async (t) => {
    const link = new FakeLink('A')
    const feed = feedOf(link, { sseIntervalMs: 60_000 })
    t.teardown(() => feed.close())
    const first = join(feed)
    await first.until(1)
    const second = join(feed)
    await second.until(1)
    t.equal(link.options.length, 2)
    t.strictSame([first.events.length, second.events.length], [1, 1])
    t.match(second.events[0], { positions_update: { changed: true } })
    t.throws(() => feed.open(asking()), { code: 'OVERLOADED' })
  },
)

t.test('a failing account is told on the stream, which goes on', async (t) => {
  const link = new FakeLink('A')
  link.before = () => {
    throw new ServiceError('ACTOR_RESTARTING', 'restarting')
  }
  const feed = feedOf(link)
  t.teardown(() => feed.close())
  const stream = join(feed)
  await stream.until(1)
  t.strictSame(stream.events[0], {
    timestamp: NOW_TEXT,
    error: '账户正在启动或重启，请稍后再试 (restarting)',
  })
  link.before = () => {}
  while (stream.events.at(-1)?.['error'] !== undefined) await stream.until(stream.events.length + 1)
  t.match(stream.events.at(-1), { positions_update: { version: 58, changed: true } })
})

t.test(
  'a client that is behind misses events and gets the newest; one that stays so is closed',
  async (t) => {
    const link = new FakeLink('A')
    const feed = feedOf(link, { sseSilenceMs: 0 })
    t.teardown(() => feed.close())
    const brief = join(feed)
    brief.keepsUp = false
    await brief.until(1)
    link.texts.events = eventsText(99)
    brief.drain()
    await brief.until(2)
    t.match(brief.events[1], { positions_update: { version: 99, changed: true } })

    const stuck = join(feed)
    stuck.keepsUp = false
    await stuck.until(1)
    await stuck.until(2)
    t.equal(stuck.isEnded, true)
    t.equal(stuck.events.length, 1, 'nothing was piled up for it')
    t.equal(feed.clients, 1)
  },
)

/** A feed that has sent events with these versions, and the client that got them. */
async function played(t: Test, versions: readonly number[], limits: object = {}) {
  const link = new FakeLink('A')
  const feed = feedOf(link, limits)
  t.teardown(() => feed.close())
  link.texts.events = eventsText(versions[0] ?? 0)
  const stream = join(feed)
  for (const [index, version] of versions.entries()) {
    link.texts.events = eventsText(version)
    await stream.until(index + 1)
  }
  return { link, feed, stream }
}
const versionsOf = ({ events }: FakeStream) => events.map((event) => event['positions_update'])

t.test('a client that comes back with the id of its last event gets what came after', async (t) => {
  const { feed, stream } = await played(t, [1, 2, 3])
  t.match(
    stream.ids.map((id) => id.replace(/^[0-9a-f]+/, 'feed')),
    ['feed-1', 'feed-2', 'feed-3'],
  )
  const back = join(feed, stream.ids[0])
  t.strictSame(versionsOf(back), [
    { version: 2, changed: true },
    { version: 3, changed: true },
  ])
  t.strictSame(back.ids, stream.ids.slice(1))
})

t.test(
  'a client that missed nothing is told that it is there, and gets the next event',
  async (t) => {
    const { link, feed, stream } = await played(t, [1])
    const back = join(feed, stream.ids[0])
    t.strictSame([back.comments, back.events], [1, []])
    link.texts.events = eventsText(1, 9)
    await back.until(1)
    t.strictSame(versionsOf(back), [{ version: 1, changed: false }], 'it knows this version')
  },
)

t.test(
  'an id that is too old, of another start or no id at all gets the newest state',
  async (t) => {
    const { feed, stream } = await played(t, [1, 2, 3, 4, 5], {
      sseClientsMax: 9,
      sseClientsPerTokenMax: 9,
    })
    const [first = ''] = stream.ids
    for (const id of [
      first,
      first.replace(/^./, 'f0'),
      'abc',
      '',
      '../-1',
      `${first}9999999999999999`,
    ]) {
      const back = join(feed, id)
      await back.until(1)
      t.strictSame(versionsOf(back), [{ version: 5, changed: true }], id)
      t.strictSame(back.ids, stream.ids.slice(-1))
      back.end()
    }
  },
)

t.test('a stream that nobody listened to goes on where it was', async (t) => {
  const { link, feed, stream } = await played(t, [1])
  stream.end()
  t.equal(feed.clients, 0)
  link.texts.events = eventsText(2)
  const back = join(feed, stream.ids[0])
  await back.until(1)
  t.match(versionsOf(back), [{ version: 2, changed: true }])
  t.match(back.ids[0], /-2$/)
})

t.test('one token has its own bound of streams', async (t) => {
  const feed = feedOf(new FakeLink('A'), { sseClientsMax: 3, sseClientsPerTokenMax: 1 })
  t.teardown(() => feed.close())
  feed.open(asking(undefined, 'wall')).stream(new FakeStream())
  t.throws(() => feed.open(asking(undefined, 'wall')), {
    code: 'RATE_LIMITED',
    headers: { 'Retry-After': '1' },
  })
  feed.open(asking(undefined, 'desk')).stream(new FakeStream())
  t.equal(feed.clients, 2)
})

t.test('the account is read only while somebody listens', async (t) => {
  const link = new FakeLink('A')
  const feed = feedOf(link)
  const stream = join(feed)
  await stream.until(1)
  stream.end()
  t.equal(feed.clients, 0)
  const reads = link.options.length
  const other = feedOf(new FakeLink('B'), { sseSilenceMs: 0 })
  t.teardown(() => other.close())
  await join(other).until(4) // several intervals have passed
  t.ok(link.options.length <= reads + 1, 'at most the read that was under way')
})
