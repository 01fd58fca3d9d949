import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import type { LogFields } from '../../../src/observability/logger.ts'
import { ActorBoard, createActorBoard } from '../../../src/runtime/actor-board.ts'
import { DiskWatch } from '../../../src/service/process/disk-watch.ts'
import { DATA_FILE } from '../../../src/storage/openable.ts'
import { serviceDatabaseFolder } from '../../../src/storage/service-database.ts'

const LIMITS = { floorBytes: 0, marginBytes: 0, backBytes: 0, reserveBytes: 0, checkMs: 3_600_000 }

t.test('F1008 a data folder that is moved away while the service runs is told, once', async (t) => {
  const root = t.testdir()
  const dataDir = join(root, 'data')
  const said: string[] = []
  const quiet = () => undefined
  const note = (fields: LogFields, text?: string) => void said.push(`${fields['alert']} ${text}`)
  const log = { debug: quiet, info: note, warn: note, error: note, child: () => log }
  const board = new ActorBoard(createActorBoard(1))
  const freeBytes = async () => Number.POSITIVE_INFINITY
  const watch = new DiskWatch({ dataDir, board, log, limits: LIMITS, freeBytes })
  await watch.check()
  t.strictSame(said, [], 'nothing was ever there')

  const file = join(serviceDatabaseFolder(dataDir), DATA_FILE)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  await watch.check()
  t.strictSame(said, [])

  renameSync(dataDir, join(root, 'moved'))
  mkdirSync(join(dataDir, 'logs'), { recursive: true }) // the log makes its folder anew
  await watch.check()
  await watch.check()
  t.equal(said.length, 1, 'however often it is looked for')
  t.match(said[0], /^data_folder_gone 数据目录被移走.*the data folder was moved away.*Put it back/)

  renameSync(dataDir, join(root, 'other'))
  renameSync(join(root, 'moved'), dataDir)
  await watch.check()
  t.match(said.slice(1), [/the data folder is in its place again/])
})
