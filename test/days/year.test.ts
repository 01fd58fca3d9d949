import t from 'tap'
import { Year, type YearFigures } from './fixtures/year.ts'

/** Trading days, of which each writes a few segments. */
const DAYS = 40
const KEPT_DAYS = 3

t.test(
  'forty days of trading: the journal is one chain, and the database stops growing',
  { timeout: 600_000 },
  async (t) => {
    const sizes: YearFigures[] = []
    const year = new Year({
      days: DAYS,
      stocks: 20,
      stepMs: 30_000,
      seed: 7,
      drift: 0.3,
      keepDays: KEPT_DAYS,
      auditKeepDays: 20,
      segmentEntries: 100,
      told: (_, figures) => sizes.push(figures),
    })
    t.teardown(() => year.close(false))
    const end = await year.play() // and every entry is checked
    t.ok(end.entries > 2_000, `${end.entries} entries`)
    t.ok(end.segments > 5, `${end.segments} segments`)
    t.ok(end.segments * 100 < end.entries, 'and old ones are deleted')
    const atDay = (day: number) => sizes[day - 1]?.databaseBytes ?? 0
    t.ok(
      end.databaseBytes <= atDay(DAYS / 2) * 1.25,
      `${atDay(DAYS / 2)} bytes at half time, ${end.databaseBytes} at the end`,
    )
    t.ok(end.entriesKept < end.entries / 2, `${end.entriesKept} entries in the database`)
  },
)
