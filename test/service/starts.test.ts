import t from 'tap'
import { startHogs } from '../../bench/kit/hogs.ts'
import type { LogFields } from '../../src/observability/logger.ts'
import { account, serve } from './fixture.ts'

const IDS = ['10000001', '10000002', '10000003']

t.setTimeout(600_000) // beside busy processes, on a computer that may be busy itself

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

const MANY = 30

t.test('many accounts start from nothing beside busy processes, and none dies', async (t) => {
  const endHogs = await startHogs(4, 300_000)
  t.teardown(endHogs)
  const said: string[] = []
  const note = (fields: LogFields, message: string) =>
    void said.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: () => undefined, info: note, warn: note, error: note, child: () => log }
  const ids = Array.from({ length: MANY }, (_, index) => String(10_000_001 + index))
  const overrides = {
    accounts: ids.map((id) => account(id, [])),
    // No store opens so many databases in this time, on any computer.
    limits: { store: { read_timeout_ms: 100 } },
  }
  const { service } = await serve(t, { overrides, log })
  await endHogs()
  const { board } = service.system
  const lives = service.accounts.accounts().map(({ slot }) => board.incarnation(slot))
  t.strictSame(
    lives,
    ids.map(() => 1),
  )
  t.strictSame(
    said.filter((message) => message.startsWith('actor crashed')),
    [],
  )
})
