// Starts an unpacked Steward at each log-on of this user, in the desktop session, where the trading client is:
// node autostart.mjs install, remove or status. Behind install-autostart.cmd and remove-autostart.cmd. Windows only.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join, win32 } from 'node:path'
import { ownPlace } from './distribution.mjs'
import { isStarted, ROOT } from './runtime.mjs'

const TEXT = {
  task: '已设置：登录桌面后自动启动，窗口最小化。停止：关闭任务栏里名为 Steward 的窗口。\nInstalled: starts at log-on, minimized. To stop it close the window Steward in the task bar.',
  startup:
    '计划任务未能创建，已改用"启动"文件夹：登录桌面后自动启动。\nThe scheduled task could not be made, so the Startup folder is used: it starts at log-on.',
  failed:
    '未能设置自动启动，请把上面的信息发给支持人员。\nThe automatic start could not be set up: see above.',
  removed:
    '已取消自动启动。正在运行的不受影响。\nNo longer started at log-on. One that runs goes on.',
  twice:
    '已设置，但"启动"文件夹里的 Steward.cmd 未能删除，请自行删除，否则会启动两次（Win+R，shell:startup）。\nInstalled, but delete Steward.cmd in the Startup folder (Win+R, shell:startup): it would start twice.',
  startupKept:
    '未能取消：请自行删除"启动"文件夹里的 Steward.cmd（Win+R，shell:startup），再执行一次。\nNot removed: delete Steward.cmd in the Startup folder (Win+R, shell:startup), then run this again.',
  notReplaced:
    '未改动：计划任务 Steward 已经存在，而当前用户不能替换它（多半是以管理员身份创建的），登录时启动的仍是原来的那个。请在"任务计划程序"中删除任务 Steward，再执行一次。\nNothing changed: the task Steward is there already and this user may not replace it (it was probably made as administrator), so it starts what it did before. Delete the task Steward in the Task Scheduler, then run this again.',
  folder:
    '未设置：文件夹路径里有 ^，或两个 % 之间是环境变量的名字，cmd.exe 会把它读成别的路径，登录时什么也不会启动。请把 Steward 解压到路径里没有这些字符的文件夹，再执行一次。\nNot installed: the path of this folder has a ^, or the name of a variable between two %, which cmd.exe would read as another path, so nothing would start at log-on. Unpack Steward into a folder without these signs, then run this again.',
  kept: '未能取消：请在"任务计划程序"中删除任务 Steward。\nNot removed: delete the task Steward in the Task Scheduler.',
  platform: '仅用于 Windows。\nOnly for Windows.',
}

/** Task names are shared by all users of a computer. */
export const taskName = (user) => `Steward (${user})`

const escaped = (text) => text.replace(/[<>&"]/g, (sign) => `&#${String(sign.charCodeAt(0))};`)

/** What a console is opened minimized for, in one line of cmd.exe. */
const startLine = (file) => `start "Steward" /min cmd.exe /d /c call "${file}"`

/**
 * The task: at log-on of this user only, in his desktop session and with his rights, however long it takes, also
 * on batteries, and with the priority of any program (a task has a lower one by default).
 */
export const taskXml = ({ account, app }) =>
  `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Steward</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>${escaped(account)}</UserId></LogonTrigger></Triggers>
  <Principals><Principal id="Author">
    <UserId>${escaped(account)}</UserId>
    <LogonType>InteractiveToken</LogonType>
    <RunLevel>LeastPrivilege</RunLevel>
  </Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <IdleSettings><StopOnIdleEnd>false</StopOnIdleEnd><RestartOnIdle>false</RestartOnIdle></IdleSettings>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>5</Priority>
    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec>
    <Command>%SystemRoot%\\System32\\cmd.exe</Command>
    <Arguments>${escaped(`/d /c ${startLine(win32.join(app, 'autostart.cmd'))}`)}</Arguments>
    <WorkingDirectory>${escaped(app)}</WorkingDirectory>
  </Exec></Actions>
</Task>
`.replaceAll('\n', '\r\n')

/** As the Task Scheduler reads it. */
export const asUtf16 = (text) => Buffer.from(`\ufeff${text}`, 'utf16le')

/** A file for the Startup folder that does the same. cmd.exe reads it line by line, the second one as UTF-8. */
export const startupFile = (app) =>
  [
    '@chcp 65001 >nul',
    `@${startLine(win32.join(app, 'autostart.cmd').replaceAll('%', '%%'))}`,
    '',
  ].join('\r\n')

const startupPath = () =>
  join(process.env['APPDATA'] ?? '', 'Microsoft/Windows/Start Menu/Programs/Startup/Steward.cmd')

function user() {
  const name = process.env['USERNAME'] ?? userInfo().username
  const domain = process.env['USERDOMAIN'] ?? ''
  return { name, account: domain === '' ? name : `${domain}\\${name}` }
}

/** Whether schtasks.exe did it; what it says is shown unless it is not wanted. */
function schtasks(args, isQuiet = false) {
  const told = isQuiet ? 'ignore' : 'inherit'
  return (
    spawnSync('schtasks.exe', args, { stdio: ['ignore', told, told], windowsHide: true }).status ===
    0
  )
}

/** A scanner may hold what was written a moment ago, and Windows removes nothing that is open. */
function isRemoved(path) {
  try {
    rmSync(path, { force: true, maxRetries: 5 })
    return true
  } catch {
    return false
  }
}

/** Variables that cmd.exe makes up. */
const MADE_UP = [
  '__appdir__',
  '__cd__',
  'cd',
  'cmdcmdline',
  'cmdextversion',
  'date',
  'errorlevel',
  'highestnumanodenumber',
  'random',
  'time',
]

/**
 * `call` doubles each ^, also within quotes, and puts a variable in the place of its name between two %: on a command line
 * neither can be written so that it stays. What no variable is called (`Steward%20v1%202`) is left as it is there.
 */
export function isStartable(app, env = process.env) {
  if (app.includes('^')) return false
  const names = new Set([...Object.keys(env), ...MADE_UP].map((name) => name.toLowerCase()))
  return ![...app.matchAll(/%(?=([^%]+)%)/g)].some(([, name]) => names.has(name.toLowerCase()))
}

/**
 * What becomes of an installation: the text that is said, and the exit code. A task that is there and cannot be
 * replaced, as one that was made as administrator, goes on as before: beside it a file in the Startup folder would start
 * a second Steward at each log-on, after an update one of another version. `windows` is asked to make the task, whether
 * there is one, and to remove or write the file.
 */
export function installed(app, windows) {
  if (!isStartable(app)) return ['folder', 1]
  if (windows.makeTask()) return windows.removeStartup() ? ['task', 0] : ['twice', 1]
  if (windows.isTask()) return ['notReplaced', 1]
  return windows.writeStartup() ? ['startup', 0] : ['failed', 1]
}

function install() {
  const [key, code] = installed(ROOT, {
    makeTask,
    isTask,
    removeStartup: () => isRemoved(startupPath()),
    writeStartup,
  })
  say(key, code)
}

function makeTask() {
  const { name, account } = user()
  const place = ownPlace()
  mkdirSync(place, { recursive: true })
  const file = join(place, 'autostart.xml')
  writeFileSync(file, asUtf16(taskXml({ account, app: ROOT })))
  const isMade = schtasks(['/create', '/tn', taskName(name), '/xml', file, '/f'])
  isRemoved(file) // holds no secret
  return isMade
}

function writeStartup() {
  try {
    writeFileSync(startupPath(), startupFile(ROOT))
    return true
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    return false
  }
}

const isTask = () => schtasks(['/query', '/tn', taskName(user().name)], true)

function remove() {
  if (!isRemoved(startupPath())) return say('startupKept', 1)
  const isGone = !isTask() || schtasks(['/delete', '/tn', taskName(user().name), '/f'])
  return isGone ? say('removed', 0) : say('kept', 1)
}

function status() {
  const startup = existsSync(startupPath()) ? 'startup' : 'none'
  process.stdout.write(`${isTask() ? 'task' : startup}\n`)
}

function say(key, code) {
  process.stdout.write(`${TEXT[key]}\n`)
  process.exitCode = code
}

const VERBS = { install, remove, status }

if (isStarted(import.meta.url)) {
  const verb = VERBS[process.argv[2] ?? '']
  if (process.platform !== 'win32') say('platform', 2)
  else if (verb === undefined) {
    process.stderr.write('autostart.mjs install | remove | status\n')
    process.exitCode = 2
  } else verb()
}
