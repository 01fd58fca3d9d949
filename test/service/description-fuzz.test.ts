import t from 'tap'
import { fuzz, prepared, serveDescribed } from './fixtures/contract.ts'

/** `STEWARD_FUZZ_REQUESTS=50000` asks for longer, `STEWARD_FUZZ_SEED` from another start. */
const REQUESTS = Number(process.env['STEWARD_FUZZ_REQUESTS'] ?? 6_000)
const SEED = Number(process.env['STEWARD_FUZZ_SEED'] ?? 20_261_123)

t.test(
  'whatever is asked, and however often, the answer is described',
  { timeout: 1_800_000 },
  async (t) => {
    const sides = await serveDescribed(t)
    const likely = await prepared(sides)
    const operations = sides.flatMap(({ description }) => description.operations).length
    const each = Math.max(2, Math.ceil(REQUESTS / operations / 2))
    for (const side of sides) {
      const { missed } = await fuzz(t, side, { seed: SEED, right: each, wrong: each, likely })
      t.comment(`seed ${SEED}, ${side.name}: not got through to: ${[...missed].join(', ')}`)
    }
  },
)
