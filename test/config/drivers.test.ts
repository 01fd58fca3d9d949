import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import {
  DRIVER_NAMES,
  DRIVER_TEXT,
  DRIVERS,
  defaultDriver,
  having,
  limitsOf,
} from '../../src/config/drivers.ts'

const ROOT = new URL('../../', import.meta.url)

t.test('the drivers are those of the registry, and one of them is embedded', async (t) => {
  t.ok(DRIVER_NAMES.includes('xt'))
  const embedded = DRIVER_NAMES.filter((name) => DRIVERS[name].kind === 'embedded')
  t.strictSame(embedded, ['paper'], 'it has the one row of the actor board beside the market')
})

t.test('the thread of every driver is there, in the folder of the driver', async (t) => {
  for (const name of DRIVER_NAMES) {
    const { host } = DRIVERS[name]
    t.match(host, new RegExp(`^src/drivers/${name}/host/.*\\.thread\\.ts$`))
    t.ok(existsSync(fileURLToPath(new URL(host, ROOT))), host)
  }
})

t.test('what is imported when it is needed can be', async (t) => {
  for (const quotes of Object.values(having('quotes'))) {
    t.type((await quotes.open()).openMarket, 'function')
  }
  for (const doctor of Object.values(having('doctor'))) {
    t.type((await doctor()).examine, 'function')
  }
})

t.test('sections are asked for by what they are', async (t) => {
  t.ok('paper' in having('account') && 'xt' in having('account'))
  t.notOk('paper' in having('quotes'), 'paper brings no market')
  t.strictSame(Object.keys(limitsOf('embedded')), ['paper'])
  t.ok('xt' in limitsOf('real'))
  t.notOk('paper' in limitsOf('real'))
  t.match(DRIVER_TEXT, /^驱动.*xt.*\(driver; by default that of the quotes: .*xt; else paper\)$/)
})

t.test('a name that every object has is no market of a driver', async (t) => {
  for (const source of ['toString', '__proto__', 'constructor', 'paper']) {
    t.equal(defaultDriver(source), 'paper')
  }
})
