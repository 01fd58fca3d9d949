import t from 'tap'
import type { LogFields } from '../../src/observability/logger.ts'
import { account, serve } from './fixture.ts'

const IDS = ['10000001', '10000002', '10000003']

t.test('accounts beyond limits.runtime.starts_at_once wait until others are up', async (t) => {
  const said: string[] = []
  const note = (_fields: LogFields, message: string) => void said.push(message)
  const log = { debug: note, info: note, warn: note, error: note, child: () => log }
  const overrides = {
    accounts: IDS.map((id) => account(id, [])),
    limits: { runtime: { starts_at_once: 1 } },
  }
  const { service } = await serve(t, { overrides, log })
  const steps = said.filter((message) => ['actor starts', 'account is up'].includes(message))
  t.strictSame(
    steps,
    IDS.flatMap(() => ['actor starts', 'account is up']),
  )
  t.strictSame(
    service.accounts.accounts().map(({ accountId }) => accountId),
    IDS,
  )
})
