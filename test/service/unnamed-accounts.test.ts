import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { NEEDS_SIGNALS } from '../platform.ts'
import { account, configFile, serve } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const [FIRST, SECOND] = ['10000001', '10000002']
const ONE = { accounts: [account(FIRST, [])] }
const TOLD = /10000002 \(accounts that the configuration does not name have data here/

t.test(
  'F610 an account that the configuration does not name any more is told of',
  NEEDS_SIGNALS,
  async (t) => {
    const folder = t.testdir()
    const { service } = await serve(t, { folder })
    await service.stop()
    const config = configFile(folder, { ...ONE, log: { level: 'info' } })
    const steward = (...words: string[]) => new Child(t, folder, [...words, '--config', config])

    const up = steward('up')
    await up.ready()
    up.signal('SIGTERM')
    t.match((await up.exit).stdout.join('\n'), TOLD, 'at each start')
    t.match((await steward('check').exit).stdout.join('\n'), TOLD)

    const report = join(folder, 'report.txt')
    const { stdout } = await steward('doctor', '--report', report).exit
    t.match(stdout.join('\n'), TOLD)
    t.match(stdout.join('\n'), 'put them back among "accounts"')
    t.notMatch(readFileSync(report, 'utf8'), SECOND, 'a report names no account')

    renameSync(join(folder, 'data', SECOND), join(folder, 'aside'))
    t.notMatch((await steward('check').exit).stdout.join('\n'), TOLD, 'moved away, as it says')
  },
)
