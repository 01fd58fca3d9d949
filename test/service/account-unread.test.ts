import t from 'tap'
import { ServiceError } from '../../src/domain/errors.ts'
import type { LogFields, Logger } from '../../src/observability/logger.ts'
import {
  AccountHandle,
  type AccountHandleOptions,
} from '../../src/service/accounts/account-handle.ts'

const ACCOUNT = '10000001'

/** What the log says of an account of this computer that cannot be run now. */
async function saidOf(problem: ServiceError): Promise<readonly string[]> {
  const said: string[] = []
  const quiet = () => undefined
  const note =
    (level: string) =>
    ({ alert, reason }: LogFields, text: string) =>
      void said.push(`${level} ${alert} ${reason} ${text}`)
  const log: Logger = {
    debug: quiet,
    info: quiet,
    warn: note('warn'),
    error: note('error'),
    child: () => log,
  }
  const system = {
    clock: { nowMs: () => 0 },
    stopAccount: async () => null,
    leaveBooks: async () => undefined,
    rows: { giveBack: quiet },
  }
  let looks = 0
  let looked = quiet as () => void
  const often = new Promise<void>((resolve) => {
    looked = resolve
  })
  const handle = new AccountHandle({
    system,
    slot: 1,
    account: { account_id: ACCOUNT, driver: 'paper' },
    spawn: { policy: { accountId: ACCOUNT, alias: '', limits: { callTimeoutMs: 1 } } },
    limits: { seekAgainMs: 1, handshakeTimeoutMs: 1 },
    examine: async () => {
      looks += 1
      if (looks === 3) looked()
      return problem
    },
    log,
  } as unknown as AccountHandleOptions)
  await handle.start()
  await often
  await handle.leave()
  return said
}

t.test('F1017 an account that waits because of its data is told as an alarm, once', async (t) => {
  const folder = `/data/${ACCOUNT}/db`
  const [said = '', ...more] = await saidOf(new ServiceError('STORE_FAILED', `${folder}: EIO`))
  t.strictSame(more, [], 'however often it is tried')
  t.match(
    said,
    /^error account_waits \/data\/\*+0001\/db: EIO 账户未运行.*nobody takes its profits/,
  )
  const [elsewhere = ''] = await saidOf(new ServiceError('CONFLICT', 'is run by process 7'))
  t.match(elsewhere, /^warn undefined is run by process 7/, 'another process runs it')
})
