import { accessSync, constants, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { err, ok, type Result } from '../../domain/result.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { openDataFolder } from '../data/data-folder.ts'
import { isWithin } from '../data/within.ts'
import {
  type BackupPlan,
  KEEP_DEFAULT,
  planFileOf,
  readPlan,
  timeProblem,
  writePlan,
} from './plan.ts'

/** As the command line says it. */
interface Asked {
  readonly schedule: string
  readonly to?: string
  readonly keep?: string
}

const KEEP_MAX = 1_000
const OFF = 'off'

/** Why the plan is not what was asked for, or not for sure. */
export interface ScheduleRefusal {
  readonly text: string
  /** It was asked for what cannot be; else something failed. */
  readonly isWrong: boolean
}
const wrong = (text: string) => err<ScheduleRefusal>({ text, isWrong: true })

/** `steward backup --schedule`: the plan is in force at once, and after every start. Lines for standard output. */
export function scheduleBackups(
  dataDir: string,
  asked: Asked,
  flushOne?: (path: string) => void,
): Result<readonly string[], ScheduleRefusal> {
  const folder = openDataFolder(dataDir)
  if (!folder.ok) return wrong(folder.error)
  if (asked.schedule === OFF) {
    const text = writeProblem(dataDir, undefined, flushOne)
    if (text !== undefined) return err({ text, isWrong: false })
    return ok(['已取消定时备份，已有的备份不受影响 (no more scheduled backups; those made stay)'])
  }
  const plan = planOf(dataDir, asked)
  if (!plan.ok) return wrong(plan.error)
  const text = writeProblem(dataDir, plan.value, flushOne)
  if (text !== undefined) return err({ text, isWrong: false })
  const { at, to, keep } = plan.value
  return ok([
    `每日 ${at} 把 ${dataDir} 备份到 ${to}，保留 ${keep} 份 (that data folder, every day at ${at}, Asia/Shanghai; ${keep} are kept)`,
    '服务运行时自动执行，错过的会补做；失败写入日志和 /metrics (made while the service runs; a missed one is caught up with)',
  ])
}

/** Undefined: it is written. Else one line that says which plan is in force. */
function writeProblem(
  dataDir: string,
  plan: BackupPlan | undefined,
  flushOne?: (path: string) => void,
): string | undefined {
  try {
    writePlan(dataDir, plan, flushOne)
    return undefined
  } catch (error) {
    const path = planFileOf(dataDir)
    const code = String(Reflect.get(Object(error), 'code'))
    const now = readPlan(dataDir)
    return now.ok && isDeepStrictEqual(now.value, plan)
      ? `${path} 已改动并已生效，但磁盘未确认（${code}），断电后可能恢复原状；请排除磁盘问题后重做 (changed, and in force, but the disk did not confirm it (${code}): a power cut may undo it; see to the disk and do it again)`
      : `${path} 无法写入（${code}），定时备份未改动 (cannot be written (${code}); scheduled backups are as before)`
  }
}

function planOf(dataDir: string, asked: Asked): Result<BackupPlan, string> {
  const problem = timeProblem(asked.schedule)
  if (problem !== undefined) return err(problem)
  const before = readPlan(dataDir)
  const known = before.ok ? before.value : undefined
  const keep = asked.keep === undefined ? (known?.keep ?? KEEP_DEFAULT) : Number(asked.keep)
  if (!Number.isInteger(keep) || keep < 1 || keep > KEEP_MAX) {
    return err(`--keep 应为 1 到 ${KEEP_MAX} 的整数 (a whole number from 1 to ${KEEP_MAX})`)
  }
  const to = asked.to === undefined ? known?.to : resolve(asked.to)
  if (to === undefined) return err('steward backup --schedule 还需要 --to 目录 (needs --to FOLDER)')
  const target = targetProblem(dataDir, to)
  return target === undefined ? ok({ at: asked.schedule, to, keep }) : err(target)
}

/** It has to be there when nobody looks, and must not be swallowed by what it copies. */
function targetProblem(dataDir: string, to: string): string | undefined {
  try {
    makeFolder(to)
    accessSync(to, constants.R_OK | constants.W_OK)
  } catch (error) {
    return `--to ${to} 无法写入 (cannot be written): ${Reflect.get(Object(error), 'code')}`
  }
  return isWithin(realpathSync(dataDir), realpathSync(to))
    ? `--to ${to} 不能在数据目录 ${dataDir} 之内 (is inside the data folder)`
    : undefined
}
