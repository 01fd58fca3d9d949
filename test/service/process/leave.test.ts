import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { inTime, PATIENCE_MS } from '../../in-time.ts'
import { account, configFile } from '../fixture.ts'
import { Child } from '../fixtures/child.ts'

const SKIP = { skip: process.platform === 'win32' && 'no pipe lies in a folder there' }
const QUIET = '--disable-warning=ExperimentalWarning'

/** A file that keeps whoever opens it, as one on a network drive that is gone, and the folder that it lies in. */
function hanging(t: Test) {
  const folder = t.testdir()
  const file = join(folder, 'heads.ndjson')
  spawnSync('mkfifo', [file])
  return { folder, file }
}

t.test(
  'F687 a service that writes to a drive that does not answer can be stopped',
  SKIP,
  async (t) => {
    const { folder, file } = hanging(t)
    const config = configFile(folder, {
      accounts: [account('10000001', [])],
      audit: { head_file: file },
    })
    const child = new Child(t, folder, ['up', '--config', config])
    await child.ready()
    await inTime(child.heard('journal head'), 'a head for the file')
    child.signal('SIGTERM')
    const { signal, code } = await inTime(child.exit, 'the end of the service')
    t.match({ code, signal }, { code: null, signal: 'SIGKILL' }, 'nothing else ends it')
    t.equal(child.said('stopped').length, 1, 'behind a stop in good order')
  },
)

/** How a process ends that leaves so while it opens `file`. */
function leaving(folder: string, file: string, how: string) {
  const leave = new URL('../../../src/service/process/leave.ts', import.meta.url)
  const program = join(folder, 'leaves.ts')
  const text = `
    import { open } from 'node:fs/promises'
    import { leave, leaveInOrder } from ${JSON.stringify(leave.href)}
    open(${JSON.stringify(file)}, 'r').catch(() => undefined)
    ${how}
  `
  writeFileSync(program, text)
  const options = { timeout: PATIENCE_MS, killSignal: 'SIGABRT', encoding: 'utf8' } as const
  const { status, signal } = spawnSync(process.execPath, [QUIET, program], options)
  return { status, signal }
}

t.test('F687 whoever must end at once does, and leaves no process that hangs', SKIP, async (t) => {
  const { folder, file } = hanging(t)
  const killed = { status: null, signal: 'SIGKILL' }
  t.strictSame(leaving(folder, file, 'leave(1)'), killed)
  t.strictSame(leaving(folder, file, 'await leaveInOrder(0)'), killed)
})

t.test('F687 what is under way on a drive that answers takes no exit code away', async (t) => {
  const folder = t.testdir({ file: '' })
  const end = leaving(folder, join(folder, 'file'), 'await leaveInOrder(3)')
  t.strictSame(end, { status: 3, signal: null })
})
