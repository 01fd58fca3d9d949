import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { exchangeDay, exchangeDayStartMs } from '../../../src/domain/exchange-time.ts'
import { limits, market } from '../../../src/drivers/gateway/config.ts'
import { openMarket } from '../../../src/drivers/gateway/market.ts'
import type { Tick } from '../../../src/protocol/market.ts'
import { inTime } from '../../in-time.ts'

const silent = () => undefined
/** So many that doubled waits would last for hours. */
const FAILURES = 20

/** A gateway that has quotes, or not, and a market at it. */
async function open(t: Test) {
  const peer = { isServing: true, lastPrice: 36, asked: 0, onAsked: () => {}, isDated: true }
  const server = createServer(({ url = '' }, response) => {
    const codes = new URL(url, 'http://peer').searchParams.get('stock_codes')?.split(',') ?? []
    const dated = peer.isDated && { time: Date.now() }
    const tick = { ...dated, lastPrice: peer.lastPrice, lastClose: 35.5 }
    const data = Object.fromEntries(codes.map((code) => [code, tick]))
    response.writeHead(peer.isServing ? 200 : 503, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ success: peer.isServing, data, error: null }))
    peer.asked += 1
    peer.onAsked()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { feed } = openMarket({
    market: market.parse({ source: 'gateway', url }),
    limits: { gateway: limits.parse({ quotes_poll_ms: 20, quotes_retry_max_ms: 3_600_000 }) },
    log: { info: silent, warn: silent },
    nowMs: Date.now,
  })
  t.teardown(async () => {
    await feed.stop()
    server.closeAllConnections()
    server.close()
  })
  return { peer, feed }
}

const nameOf = (place: number): string => `${600_000 + place}.SH`

t.test('F104 quotes come as often as ever once the other gateway answers again', async (t) => {
  const { peer, feed } = await open(t)
  const heard: Tick[] = []
  let waiting: { price: number; done: () => void } | undefined
  const priced = (price: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting = { price, done: resolve }
    peer.lastPrice = price
    return inTime(promise, `a quote of ${price}`)
  }
  let backs = 0
  const looked = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    peer.onAsked = resolve
    return inTime(promise, 'the next look')
  }
  peer.isServing = false
  const first = looked()
  feed.want(nameOf(0), 0)
  feed.start(
    (tick) => {
      heard.push(tick)
      if (tick.lastPrice === waiting?.price) waiting.done()
    },
    () => {
      backs += 1
    },
  )
  await first
  for (let place = 1; place <= FAILURES; place++) {
    const next = looked()
    feed.want(nameOf(place), 0) // looks at once, whatever the wait
    await next
  }
  t.equal(backs, 0)
  peer.isServing = true
  const served = priced(36)
  feed.want(nameOf(FAILURES + 1), 0)
  await served
  t.equal(backs, 1, 'its first quote is a sign that it is back')
  await priced(32.4)
  await priced(32.3)
  t.equal(backs, 1, 'once')
})

t.test(
  'F468 a quote without a time that nobody has seen change may be of any time today',
  async (t) => {
    const { peer, feed } = await open(t)
    peer.isDated = false
    const heard = new Map<number, number>()
    let done = () => {}
    const quoted = (price: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      done = () => heard.has(price) && resolve()
      peer.lastPrice = price
      return inTime(promise, `a quote of ${price}`)
    }
    const first = quoted(36)
    const beganMs = Date.now()
    feed.want(nameOf(0), 0)
    feed.start(({ stock_code: code, lastPrice, time }) => {
      if (code === nameOf(0)) heard.set(lastPrice, time)
      done()
    })
    await first
    await quoted(36.1)
    t.ok(Number(heard.get(36)) <= exchangeDayStartMs(exchangeDay(Date.now())), 'seen first')
    t.ok(Number(heard.get(36.1)) >= beganMs, 'it has changed since')
    peer.isServing = false
    const { promise, resolve } = Promise.withResolvers<void>()
    peer.onAsked = resolve
    await inTime(promise, 'a look that fails')
    const awayMs = Date.now()
    peer.isServing = true
    const back = quoted(36.2)
    feed.want(nameOf(1), 0)
    await back
    const backMs = Number(heard.get(36.2))
    t.ok(backMs < awayMs, 'it may have changed when nobody looked')
    t.ok(backMs >= Number(heard.get(36.1)), 'and is no older than what was seen before')
  },
)
