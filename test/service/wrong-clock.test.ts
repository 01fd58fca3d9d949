import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { type Answer, configFile, get, type Json, post, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const DAY_MS = 86_400_000
const HELD = 1_000
const SKEWED = pathToFileURL(join(import.meta.dirname, 'fixtures', 'skewed-clock.mjs')).href
/** Looks often, so that nobody waits; what must be proved would take longer than the test. */
const LIMITS = { market: { day_check_ms: 20, clock_settle_ms: 600_000, clock_save_every_ms: 100 } }

/** A computer whose clock can be set, and the service that runs on it. */
class Computer {
  readonly #t: Test
  readonly #folder: string
  readonly #file: string
  readonly #config: string
  #gateway = ''
  #url = ''
  #child: Child | undefined

  constructor(t: Test) {
    this.#t = t
    this.#folder = t.testdir()
    this.#file = join(this.#folder, 'skew')
    const risk = { max_orders_per_second: 0, max_orders_per_day: 4, refuse_duplicates: false }
    this.#config = configFile(this.#folder, { limits: LIMITS, risk })
    process.env['SKEW_FILE'] = this.#file
    process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --import=${SKEWED}`
    this.wrongMs = 0
  }

  set wrongMs(ms: number) {
    writeFileSync(this.#file, String(ms))
  }
  async start(): Promise<void> {
    this.#child = new Child(this.#t, this.#folder, ['up', '--config', this.#config])
    const [gateway = '', url = ''] = await this.#child.ready()
    this.#gateway = gateway
    this.#url = url
  }
  async stop(): Promise<void> {
    this.#child?.signal('SIGTERM')
    this.#t.equal((await this.#child?.exit)?.code, 0)
  }

  get(path: string): Promise<Answer> {
    return get(`${this.#url}/api/${path}`)
  }
  sell(key: string): Promise<Answer> {
    const order = { stock_code: '600036', quantity: 100, price_type: 5 }
    return post(`${this.#url}/api/actions/execute_sell`, order, { 'Idempotency-Key': key })
  }
  buy(key: string): Promise<Answer> {
    const order = {
      stock_code: '601398',
      order_type: 23,
      order_volume: 100,
      price_type: 5,
      price: 0,
    }
    const url = `${this.#gateway}/api/v1/accounts/10000001/orders`
    return post(url, order, { 'Idempotency-Key': key })
  }
  async holds(): Promise<readonly unknown[]> {
    const { body } = await this.get('kill-switch')
    return (body['holds'] as unknown as Json[]).map((hold) => hold['name'])
  }
  untilHeld(isHeld: boolean): Promise<unknown> {
    return until(
      () => this.holds(),
      (holds) => holds.includes('clock_jump') === isHeld,
    )
  }
  async volume(): Promise<unknown> {
    const { body } = await this.get('positions')
    return body['data']?.['positions']?.[0]?.['volume']
  }
  async orderIds(): Promise<readonly unknown[]> {
    const { body } = await this.get('orders')
    return (body['data'] as unknown as Json[]).map((order) => order['client_order_id'])
  }
  async daysOpened(): Promise<number> {
    const { body } = await this.get('audit?kind=dayOpened')
    return (body['entries'] as unknown as Json[]).length
  }
}

/** One sale that is filled, on a service with a right clock. */
async function sold(t: Test): Promise<{ computer: Computer; first: Answer }> {
  const computer = new Computer(t)
  await computer.start()
  const first = await until(
    () => computer.sell('first'),
    ({ status }) => status === 200,
  )
  await until(
    () => computer.volume(),
    (volume) => volume === HELD - 100,
  )
  return { computer, first }
}

/** Our own number of the order that an answer is about. */
const orderOf = ({ body }: Answer): unknown =>
  body['orders']?.[0]?.['client_order_id'] ?? body['data']?.['client_order_id']

/** The same key is the same order, and the list, the count and the day are those of today. */
async function isUnmoved(t: Test, computer: Computer, first: Answer): Promise<void> {
  const again = await computer.sell('first')
  t.equal(again.status, 200)
  t.type(orderOf(first), 'string')
  t.equal(orderOf(again), orderOf(first))
  t.equal(again.headers.get('Idempotency-Replayed'), 'true')
  t.equal(await computer.volume(), HELD - 100, 'sold once')
  t.ok((await computer.orderIds()).includes(orderOf(first)))
  t.equal(await computer.daysOpened(), 1)
}

t.test('F17 a service whose clock is wrong for seconds changes no key, list or day', async (t) => {
  const { computer, first } = await sold(t)
  for (const skewMs of [4 * DAY_MS, -4 * DAY_MS]) {
    computer.wrongMs = skewMs
    await computer.untilHeld(true)
    await isUnmoved(t, computer, first)
    const { status, body } = await computer.buy(`buy${skewMs}`)
    t.match({ status, code: body['code'] }, { status: 409, code: 'KILL_SWITCH' })
    computer.wrongMs = 0
    await computer.untilHeld(false)
    await isUnmoved(t, computer, first)
  }
  t.equal((await computer.buy('right-again')).status, 201)
})

t.test(
  'F17 a service that starts with a wrong clock, and goes on with the right one',
  async (t) => {
    const { computer, first } = await sold(t)
    for (const skewMs of [4 * DAY_MS, -4 * DAY_MS]) {
      await computer.stop()
      computer.wrongMs = skewMs
      await computer.start()
      await computer.untilHeld(true)
      await until(
        () => computer.volume(),
        (volume) => volume === HELD - 100,
      )
      await isUnmoved(t, computer, first)
      computer.wrongMs = 0
      await computer.untilHeld(false)
      await isUnmoved(t, computer, first)
    }
  },
)
