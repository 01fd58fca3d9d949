// One set-up at a time in a clone, also when two commands are started at once.
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isHeld } from './rename.mjs'

const BEAT_MS = 1_000
const STALE_MS = 60_000
const POLL_MS = 200
const SETTLE_MS = 50
const WAIT_MS_MAX = 15 * 60_000

/**
 * Runs `work` while this process alone holds the lock file. The file lists the processes that hold it and
 * its age is their heartbeat: it is taken over when all of them are gone, or silent for STALE_MS.
 * `work` is given `share(pid)`, which adds a child that could outlive this process.
 */
export async function withSetupLock(path, work) {
  await acquire(path)
  const beat = setInterval(() => touch(path), BEAT_MS)
  try {
    return await work((pid) => writeFileSync(path, `${process.pid} ${pid}`))
  } finally {
    clearInterval(beat)
    leave(path)
  }
}

/** One that a scanner holds on Windows is stale in a moment: the set-up is done all the same. */
function leave(path) {
  try {
    if (isOurs(path)) rmSync(path, { force: true })
  } catch (error) {
    if (!isHeld(error)) throw error
  }
}

async function acquire(path) {
  const deadline = Date.now() + WAIT_MS_MAX
  let isToldToWait = false
  while (!(tryCreate(path) && (await isKept(path)))) {
    removeStale(path)
    if (Date.now() > deadline) {
      throw new Error(
        `steward: 另一个安装一直没有结束：请停止它，删除 ${path}，然后重试 (another set-up does not end: stop it, delete ${path}, then try again)`,
      )
    }
    if (!isToldToWait)
      process.stdout.write(
        'steward: 等待本目录的另一个安装结束 (waiting for another set-up of this clone) ...\n',
      )
    isToldToWait = true
    await sleep(POLL_MS)
  }
}

function tryCreate(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw new Error(
      `steward: 无法写入 ${path}（${error.code}）：请检查它属于哪个用户，然后重试 (cannot write ${path} (${error.code}): check its owner, then try again)`,
    )
  }
}

/** Two that found the same stale lock can move away each other's new one: look again after a moment. */
async function isKept(path) {
  await sleep(SETTLE_MS)
  return isOurs(path)
}

function isOurs(path) {
  try {
    return readFileSync(path, 'utf8').split(' ')[0] === String(process.pid)
  } catch {
    return false
  }
}

/** Renames before it deletes: of several that find the same stale lock only one moves it away. */
function removeStale(path) {
  try {
    const holders = readFileSync(path, 'utf8').split(' ').map(Number)
    const age = Date.now() - statSync(path).mtimeMs
    if (age < BEAT_MS || (holders.some(isAlive) && age < STALE_MS)) return
    const aside = `${path}.${process.pid}`
    renameSync(path, aside)
    rmSync(aside, { force: true })
  } catch (error) {
    // Gone already, or Windows still holds it open: the next round sees.
    if (error.code !== 'ENOENT' && !isHeld(error)) throw error
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // Taken over by another process while this one slept: that one finishes the work.
  }
}
