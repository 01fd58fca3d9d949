import { strict as assert } from 'node:assert'
import type { Test } from 'tap'
import { turnsUntil } from '../../in-time.ts'
import type { Candidate, Outcome, OwnershipRig, RigKind } from './candidate.ts'

const NAMES = ['n1', 'n2', 'n3'] as const
const NOT_OURS = { failed: 'NOT_OWNER' }

const done = (t: Test, { failed }: Outcome, text = 'done') => t.equal(failed, undefined, text)

/** All of them, started at once: who of them owns the account, and the others, which know of it. */
async function settled(rig: OwnershipRig, names: readonly string[] = NAMES) {
  const all = await Promise.all(names.map((name) => rig.candidate(name)))
  const started = Promise.all(all.map((each) => each.start()))
  const found = () => all.find(({ name }) => name === rig.history.owner)
  await turnsUntil(() => found() !== undefined, 'an owner')
  const owner = found() ?? assert.fail()
  await owner.up()
  await started
  const others = all.filter((each) => each !== owner)
  for (const other of others) await other.until('follower')
  return { owner, others }
}

/** An account with an owner and somebody who follows it. */
async function pair(rig: OwnershipRig) {
  const first = await rig.candidate('n1')
  await first.start()
  await first.until('owner')
  await first.up()
  const second = await rig.candidate('n2')
  await second.start()
  await second.until('follower')
  return { first, second }
}

/** It is begun, and given up: in a cluster only the first of its nodes may begin it. */
async function live(rig: OwnershipRig): Promise<void> {
  const first = await rig.candidate('n1')
  await first.start()
  await first.until('owner')
  await first.release()
}

/** Whoever runs an account, whatever others there are: the same on one computer and in a cluster. */
export async function ownershipContract(
  t: Test,
  open: (t: Test, kind?: RigKind) => OwnershipRig | Promise<OwnershipRig>,
  /** Of a test in which one is lost, and found again. */
  needs: { readonly skip?: string } = {},
): Promise<void> {
  const test = (
    name: string,
    check: (t: Test, rig: OwnershipRig) => Promise<void>,
    kind?: RigKind,
  ) =>
    t.test(name, kind?.loses ? needs : {}, async (t) => {
      const rig = await open(t, kind)
      await check(t, rig)
      t.strictSame(rig.history.faults(), [], 'never two at once, and no epoch twice')
    })

  await test('of several that start at once one owns it, and all answer through it', async (t, rig) => {
    const { owner, others } = await settled(rig)
    for (const each of [owner, ...others]) t.strictSame(await each.ask(), { ok: owner.name })
    t.strictSame(await owner.commit('one'), { ok: 1 })
    for (const other of others) t.strictSame(await other.commit('another'), NOT_OURS)
    t.strictSame(await owner.committed(), { ok: ['one'] })
  })

  await test('what is released is taken over at once, with all that was committed', async (t, rig) => {
    const { first, second } = await pair(rig)
    t.strictSame(await first.commit('one'), { ok: 1 })
    done(t, await first.release())
    t.match(await second.until('owner'), { epoch: 2 })
    t.strictSame(await second.commit('two'), { ok: 2 })
    t.strictSame(await first.commit('late'), NOT_OURS)
    t.strictSame(await second.committed(), { ok: ['one', 'two'] })
  })

  await test('who is killed is followed by a higher epoch, with all that was committed', async (t, rig) => {
    const { first, second } = await pair(rig)
    t.strictSame(await first.commit('one'), { ok: 1 })
    await first.kill()
    t.match(await rig.outlive(second), { epoch: 2 })
    t.strictSame(await second.commit('two'), { ok: 2 })
    t.strictSame(await second.committed(), { ok: ['one', 'two'] })
  })

  await test(
    'who was lost commits nothing when it is found, and is told',
    async (t, rig) => {
      const { first, second } = await pair(rig)
      t.strictSame(await first.commit('one'), { ok: 1 })
      await first.lose()
      t.match(await rig.outlive(second), { epoch: 2 })
      const late = first.commit('late') // lies ready when it is found
      first.find()
      t.strictSame(await late, NOT_OURS)
      done(t, await first.lost())
      await first.until('seeking')
      done(t, await first.lost(), 'it may be told twice')
      t.strictSame(await first.commit('later'), NOT_OURS)
      t.strictSame(await second.commit('two'), { ok: 2 })
      t.strictSame(await second.committed(), { ok: ['one', 'two'] })
    },
    { loses: true },
  )

  await test('a follower is none of whom anything is lost, or up', async (t, rig) => {
    const { first, second } = await pair(rig)
    for (const told of [await second.lost(), await second.up()]) done(t, told)
    t.strictSame(await second.ask(), { ok: first.name })
    t.strictSame(await first.commit('one'), { ok: 1 })
    t.strictSame(rig.history.epochs, [1])
  })

  await test('released while it starts it owns nothing, and another one can', async (t, rig) => {
    await live(rig)
    const first = await rig.candidate('n2')
    const started = first.start()
    done(t, await first.release())
    t.strictSame(await started, { failed: 'STOPPING' })
    done(t, await first.release(), 'it may be told twice')
    const second = await rig.candidate('n3')
    await second.start()
    await second.until('owner')
    t.strictSame(await second.commit('one'), { ok: 1 })
    t.equal(rig.history.epochs.length, 2)
  })

  await test('to start it twice is a mistake, and changes nothing', async (t, rig) => {
    const first = await rig.candidate('n1')
    await first.start()
    t.match(await first.start(), { failed: /AssertionError/ })
    await first.until('owner')
    t.strictSame(await first.commit('one'), { ok: 1 })
    t.strictSame(rig.history.epochs, [1])
  })

  await test('who may not open its books owns nothing, and says why', async (t, rig) => {
    await live(rig)
    const first = await rig.candidate('n2', { isDamaged: true })
    t.strictSame(await first.start(), { failed: 'ACCOUNT_PARKED' })
    const second = await rig.candidate('n3')
    await second.start()
    await second.until('owner')
    t.equal(rig.history.epochs.length, 2)
  })

  await test('over many changes each commit that was answered stands there once', async (t, rig) => {
    const answered: string[] = []
    const commit = async (owner: Candidate) => {
      for (let count = 0; count < COMMITS; count++) {
        const text = `${owner.name} ${answered.length}`
        t.match(await owner.commit(text), { ok: answered.length + 1 })
        answered.push(text)
      }
    }
    let { first: owner, second: heir } = await pair(rig)
    for (let round = 0; round < ROUNDS; round++) {
      await commit(owner)
      // Whether it gets through is chance, and where it did it stands there in later rounds too.
      const cutOff = `cut off in round ${round}`
      if (round % 2 === 0) {
        const late = owner.commit(cutOff)
        await owner.kill()
        void late
        await rig.outlive(heir)
      } else {
        await owner.release()
        await heir.until('owner')
        await owner.kill()
      }
      await heir.up()
      const { ok } = await heir.committed()
      const rest = (ok as string[]).filter((text) => text !== cutOff)
      t.strictSame(rest, answered, `round ${round}`)
      answered.splice(0, answered.length, ...(ok as string[]))
      const next = await rig.candidate(NAMES[round % 2 === 0 ? 2 : 0] ?? '')
      await next.start()
      await next.until('follower')
      ;[owner, heir] = [heir, next]
    }
    await commit(owner)
    t.strictSame(await owner.committed(), { ok: answered })
  })
}

const ROUNDS = 4
const COMMITS = 3
