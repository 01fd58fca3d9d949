import { readFileSync } from 'node:fs'
import t from 'tap'
import { codeAt } from '../../bench/kit/service.ts'
import { fallenBelow, walkStepMs, writeWalks } from '../../bench/kit/walks.ts'
import { UNITS_PER_YUAN } from '../../src/domain/money.ts'
import type { Tick } from '../../src/protocol/market.ts'

const CODES = 3
const STEPS = 200
const FALLS_IN = 120

t.test(
  'every price moves at every step, and falls through its stop in the step it is told',
  async (t) => {
    const falls = new Map([[1, FALLS_IN]])
    const file = writeWalks(t.testdir(), { codes: CODES, steps: STEPS, falls })
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    t.equal(lines.length, CODES * STEPS)
    const ticks = lines.map((line) => JSON.parse(line) as Tick)
    for (const [at, { time, stock_code, lastPrice }] of ticks.entries()) {
      const [step, code] = [Math.floor(at / CODES), at % CODES]
      const isFallen = lastPrice * UNITS_PER_YUAN < fallenBelow(code)
      const isRight =
        time === walkStepMs(step) &&
        stock_code === `${codeAt(code)}.SH` &&
        isFallen === (code === 1 && step >= FALLS_IN)
      if (!isRight) t.fail(`step ${step} of code ${code}: ${lines[at]}`)
    }
    const prices = ticks.filter((_, at) => at % CODES === 0).map(({ lastPrice }) => lastPrice)
    t.ok(new Set(prices).size > 5, 'it walks')
  },
)
