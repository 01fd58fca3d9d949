import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { removeSessionFiles } from '../../../src/drivers/xt/session-files.ts'
import { Witness } from '../../contract/driver.ts'
import { XtRig } from './rig.ts'

/** Whose sessions the files in the terminal's data folder are of. */
const sessionsIn = (folder: string): readonly number[] =>
  [
    ...new Set(readdirSync(folder).flatMap((name) => /_(\d{9})(__mutex)?$/.exec(name)?.[1] ?? [])),
  ].map(Number)

t.test('files of our ended sessions are cleared away, and nothing else', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  const { clientPath, sessions } = rig.terminal
  const others = ['down_queue_win_123456789', 'down_queue_win_7', 'quoter', 'sessions.json']
  for (const name of others) writeFileSync(join(clientPath, name), 'not ours')
  const w = new Witness(rig.driver())
  rig.terminal.fault = (method) => (method === 'subscribe' ? { answer: -1 } : undefined)
  for (let i = 0; i < 3; i++) await t.rejects(w.connect())
  rig.terminal.fault = () => undefined
  await w.connect()
  const first = sessions.at(-1) ?? 0
  mkdirSync(join(clientPath, `up_queue_win_${sessions[0]}`))
  rig.terminal.disconnect()
  await w.until('disconnected')
  w.events.length = 0
  await w.connect()
  const current = sessions.at(-1) ?? 0
  t.not(current, first)
  await rig.log.until(/files of ended sessions removed: \d+/)
  const gone = rig.anotherHost()
  const ended = rig.log.until(/a sidecar has ended/)
  rig.host.close()
  await ended
  t.teardown(() => gone.close())
  rig.log.all.length = 0
  await new Witness(rig.driver({ host: gone, epoch: 2 })).connect()
  t.match(await rig.log.until(/files of ended/), /removed: \d+ \(\d+\.\d MB\); still in use: 0/)
  const newest = sessions.at(-1) ?? 0
  const left = sessionsIn(clientPath).filter((number) => number !== sessions[0])
  t.same(left, [123_456_789, newest].sort(), 'the one that is used, and what is not ours')
  t.ok(existsSync(join(clientPath, `up_queue_win_${sessions[0]}`)), 'a folder is no such file')
  for (const name of others) t.ok(existsSync(join(clientPath, name)), name)
})

t.test('a data folder that cannot be tidied holds nobody up', async (t) => {
  const folder = t.testdir({ data: {}, sidecar: { 'sessions.json': '[111111111, "x", null]' } })
  const [data, sidecar] = [join(folder, 'data'), join(folder, 'sidecar')]
  for (const name of ['down_queue_win_111111111', 'down_queue_win_222222222']) {
    writeFileSync(join(data, name), '')
  }
  removeSessionFiles(data, sidecar)
  t.same(readdirSync(data), ['down_queue_win_222222222'])
  removeSessionFiles(join(folder, 'missing'), sidecar)
  removeSessionFiles(data, join(folder, 'missing'))
})
