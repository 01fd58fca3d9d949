import t from 'tap'
import { SH, SZ } from '../fixtures/paper.ts'
import { at, openQuotes as open } from './quotes-rig.ts'

t.test('what is wanted is fed, from its first quote on, and nothing else', async (t) => {
  const { rig, quotes, ticks, until, start } = await open(t)
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5, ask: [[36.01, 900]], bid: [[36, 800]] })
  rig.terminal.tick(SZ, { last: 11, lastClose: 11 })
  quotes.want(SH)
  start()
  t.match(await until(at(SH, 36)), {
    lastClose: 35.5,
    askPrice: [36.01, 0, 0, 0, 0],
    askVol: [900, 0, 0, 0, 0],
    bidVol: [800, 0, 0, 0, 0],
  })
  rig.terminal.tick(SH, { last: 36.02, lastClose: 35.5 })
  await until(at(SH, 36.02))
  t.notOk(ticks.some(({ stock_code }) => stock_code === SZ))
  quotes.want(SZ)
  await until(at(SZ, 11))
})

t.test('without pushes a regular look finds what is new', async (t) => {
  const { rig, quotes, until, start } = await open(t)
  rig.terminal.quotes.isPushing = false
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5 })
  quotes.want(SH)
  start()
  await until(at(SH, 36))
  rig.terminal.tick(SH, { last: 36.05, lastClose: 35.5 })
  t.ok(await until(at(SH, 36.05)))
})

t.test('F216 a quote of a day to come keeps out none of today', async (t) => {
  const { rig, quotes, until, start } = await open(t)
  const dayMs = 86_400_000
  quotes.want(SH)
  start()
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5, timeMs: Date.now() + dayMs })
  t.ok(await until(at(SH, 36)), 'what it is worth is for the market clock to say')
  rig.terminal.tick(SH, { last: 33, lastClose: 35.5 })
  t.ok(await until(at(SH, 33)))
})

t.test('a sidecar that ends is replaced, and everything is subscribed again', async (t) => {
  const { rig, quotes, until, start } = await open(t)
  quotes.want(SH)
  quotes.want(SZ)
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5 })
  start()
  await until(at(SH, 36))
  const { pid } = (await rig.host.open(0)).welcome
  process.kill(pid, 'SIGKILL')
  rig.terminal.tick(SH, { last: 36.1, lastClose: 35.5 })
  rig.terminal.tick(SZ, { last: 11.1, lastClose: 11 })
  await until(at(SH, 36.1))
  t.ok(await until(at(SZ, 11.1)))
})

t.test(
  'a flood of ticks passes: the newest of each code arrives, and none that is older',
  async (t) => {
    const { rig, quotes, ticks, until, start } = await open(t, { pollMs: 60_000 })
    const codes = Array.from({ length: 50 }, (_, index) => `${600_000 + index}.SH`)
    for (const code of codes) quotes.want(code)
    start()
    rig.terminal.tick(codes[0] ?? '', { last: 1, lastClose: 1, timeMs: 1 })
    await until(() => true)
    const flood = { codes, per_second: 10_000, seconds: 1 }
    rig.terminal.storm(flood)
    const last = flood.per_second * flood.seconds - 1
    for (const [index, code] of codes.entries()) {
      const volume = (last - codes.length + 1 + index) * 100
      await until((tick) => tick.stock_code === code && tick.volume === volume)
    }
    const newest = new Map<string, number>()
    const isInOrder = ticks.every(({ stock_code, time }) => {
      const isLater = time >= (newest.get(stock_code) ?? 0)
      newest.set(stock_code, time)
      return isLater
    })
    t.ok(isInOrder)
  },
)

t.test('F798 a service that starts long before its terminal says so once', async (t) => {
  process.env['FAKE_XT_MANNER'] = '2022-09' // which connects when something is asked of it
  t.teardown(() => delete process.env['FAKE_XT_MANNER'])
  const { rig, quotes, until, start } = await open(t)
  const { log, terminal } = rig
  process.env['FAKE_XT_QUOTE_PORT'] = String(terminal.port)
  await terminal.end()
  quotes.want(SH)
  start()
  await log.until(/full tick failed \(16\)/)
  const said = log.all.filter((line) => /subscribed|want/.test(line))
  t.match(said, [/^not subscribed: .*无法连接行情服务/], 'of its subscription, too')
  terminal.tick(SH, { last: 36, lastClose: 35.5 })
  await terminal.startAgain()
  t.ok(await until(at(SH, 36)))
  await log.until(/^subscribed again/) // a look may show the tick before
  await terminal.end()
  log.all.splice(0)
  quotes.want(SZ)
  t.ok(await log.until(/^not subscribed/), 'and again when it is away once more')
})
