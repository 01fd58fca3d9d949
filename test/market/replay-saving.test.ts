import { join } from 'node:path'
import t from 'tap'
import { FakeActor, openSystem, replayOf, savedInMemory, untilState } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const T0 = at('2026-08-11', '10:00:00')
const CODE = '600036.SH'
const turnsOf = async (count: number) => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve))
}

t.test(
  'a decision on its way to the disk holds up no tick, but the saved position and the end',
  async (t) => {
    for (const saveEveryMs of [3_600_000, 0]) {
      const file = Array.from({ length: 40 }, (_, n) => tickOf(CODE, T0 + n, n < 9 ? 10 : 12))
      const path = join(t.testdir(), 'day')
      const saved = savedInMemory()
      const config = replayOf(path, file)
      const system = await openSystem({ config, saved, limits: { saveEveryMs } })
      const generation = system.board.generation(1)
      const rung = Promise.withResolvers<void>()
      const actor = new FakeActor(system, 1, ({ kind }, done, { bands }) => {
        if (kind !== 'wakeUp') return done()
        system.board.beginSave(1, generation)
        done()
        bands.takeCrossed()
        bands.clear(0)
        rung.resolve()
      })
      actor.bands.set(await actor.watch(CODE), 90_000, 110_000)
      await system.market.start()
      await rung.promise
      await turnsOf(50)
      const status = await actor.ask({ kind: 'replayStatus' })
      const isSaving = saveEveryMs === 0
      t.match(status, { state: 'playing', ticks_played: isSaving ? 10 : 40 })
      const kept = await saved.replay.load()
      t.ok((kept?.position.ticks ?? 0) < 10, 'the position before the tick that is being saved')
      system.board.endSave(1, generation)
      await untilState(system, 'finished')
      await system.market.stop()
      t.match(await saved.replay.load(), { state: 'finished', position: { ticks: 40 } })
      actor.leave()
    }
  },
)
