import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { heard } from '../in-time.ts'
import { get, post, serve } from './fixture.ts'

const SLEEPER = fileURLToPath(new URL('../storage/fixtures/sleeper.ts', import.meta.url))

t.test(
  'the audit of one account is read while the store stands in a commit of another',
  async (t) => {
    const folder = t.testdir()
    // Nothing moves, so the second account has no commits of its own under way.
    const { gateway } = await serve(t, {
      folder,
      overrides: { market: { source: 'simulated', interval_ms: 3_600_000 } },
    })
    const sleeper = spawn(process.execPath, [SLEEPER, join(folder, 'data'), '10000001'])
    t.teardown(() => sleeper.kill('SIGKILL'))
    await heard(sleeper.stdout, 'data')
    const stuck = post(`${gateway}/api/v1/accounts/10000001/kill-switch`, { level: 'entries' })
    for (let time = 1; time <= 10; time++) {
      const { status, body } = await get(`${gateway}/api/v1/accounts/10000002/audit?limit=5`)
      t.match({ status, body }, { status: 200, body: { data: { entries: [{ seq: Number }] } } })
    }
    sleeper.kill('SIGKILL')
    t.equal((await stuck).status, 200)
  },
)
