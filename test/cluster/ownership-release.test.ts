import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Role } from '../../src/cluster/account-ownership.ts'
import { type AskStore, Ownership } from '../../src/cluster/ownership.ts'
import { Link } from '../../src/runtime/link.ts'
import { ACCOUNT, LIMITS } from './fixtures/protocol.ts'

t.test('released while its claim waits for the lock of a process that sleeps', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'owner-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const asked: string[] = []
  const claiming = Promise.withResolvers<void>()
  const lock = Promise.withResolvers<void>()
  const isReleased = Promise.withResolvers<void>()
  const roles: Role['kind'][] = []
  const control = (async ({ kind }: { readonly kind: string }) => {
    asked.push(kind)
    if (kind === 'inspect') return { epoch: 0, owner: null }
    if (kind === 'release') return isReleased.resolve()
    claiming.resolve()
    await lock.promise
    return { claimed: true, epoch: 1 }
  }) as AskStore
  const ownership = new Ownership(
    ACCOUNT,
    {
      dataDir,
      control,
      limits: LIMITS,
      random: () => 0.5,
      openLine: (wire, end) => new Link(wire, { ...end, limits: { openAsksMax: 1 } }),
    },
    { serve: async () => null, changed: ({ kind }) => void roles.push(kind) },
  )
  const started = ownership.start().catch(({ code }) => String(code))
  await claiming.promise
  await ownership.release()
  t.strictSame(asked, ['inspect', 'claim'], 'a stop does not wait for the lock')
  lock.resolve()
  await isReleased.promise
  t.strictSame(asked, ['inspect', 'claim', 'release'], 'what the claim brought is given up')
  t.equal(await started, 'STOPPING')
  t.strictSame(roles, [], 'nobody was told of a role')
})
