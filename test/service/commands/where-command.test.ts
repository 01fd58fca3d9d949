import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { writePlan } from '../../../src/service/backups/plan.ts'
import { whereabouts } from '../../../src/service/commands/where-command.ts'

t.test('F977 copies made before updates, and why nothing was started, are found', async (t) => {
  const folder = t.testdir({ place: { 'errors.log': 'why' }, disk: { data: {}, copies: {} } })
  const [dataDir, place] = [join(folder, 'disk', 'data'), join(folder, 'place')]
  const told = (of: string | undefined) => {
    const loaded = loadConfig({ cwd: folder, env: {}, options: { dataDir } })
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return whereabouts(loaded.value, '0', of)
  }
  t.equal(told(undefined).length, 5, 'nothing of what is not there')
  t.match(told(place).at(-1), join(place, 'errors.log'))
  mkdirSync(join(folder, 'disk', 'backups-before-update'))
  t.match(told(undefined).at(-1), join(folder, 'disk', 'backups-before-update'))
  writePlan(dataDir, { at: '15:40', to: join(folder, 'disk', 'copies'), keep: 3 })
  t.match(told(place)[4], /每日 15:40，保留 3 份 \(every day at 15:40; 3 are kept\)$/)
})
