/** Texts of what is about all accounts: going from one to another, and stopping them together. */
export const accounts = {
  'accounts.switch': ['切换账户', 'Switch account'],
  'accounts.this': ['当前', 'This one'],
  'accounts.go': ['打开', 'Open'],
  'accounts.elsewhere': ['由另一个进程运行', 'Run by another process'],
  'accounts.noPort': [
    '没有进程提供它的操作台，或端口未知',
    'No process serves its console, or its port is not known',
  ],
  'accounts.silent': ['暂时读不到：{why}', 'Says nothing now: {why}'],
  'accounts.suspended': ['反复崩溃，停止交易', 'Crashed, not trading'],
  'accounts.disk_space': ['磁盘空间不足，停止交易', 'Disk full, not trading'],
  'accounts.disk_late': ['磁盘没有响应，委托发不出去', 'Disk does not answer, no order leaves'],
  'accounts.token': [
    '每个账户的操作台是单独的页面：如需令牌，会由那个页面询问，不会带在地址里。',
    'Each console is a page of its own: where a token is needed that page asks for it; none stands in an address.',
  ],
  'accounts.stopAll': ['全部账户急停', 'Stop all accounts'],

  'moved.title': ['这个地址现在是另一个账户的', 'This address is another account’s now'],
  'moved.what': [
    '本页属于账户 {account}，已停止读取；被拒绝的操作没有执行。请重新载入，载入后显示的是现在的账户。',
    'This page belongs to account {account}. It reads no more, and what was refused was not done. Load it again: it then shows the account of today.',
  ],
  'moved.reload': ['重新载入', 'Load again'],

  'stopAll.title': ['全部账户急停', 'Stop all accounts'],
  'stopAll.more': [
    '只升不降：比所选更严的账户保持不变。各账户分别执行，分别写入审计。',
    'Only upwards: what stops more stays as it is. Each account does it for itself, with its own entry in the audit.',
  ],
  'stopAll.ask': ['{n} 个账户：{level}', '{n} accounts: {level}'],
  'stopAll.account': ['{name}（现在：{level}）', '{name} (now: {level})'],
  'stopAll.keeps.entries': [
    '在途委托不撤；卖出和止盈止损照常',
    'Orders in flight stay; sales, protective ones too, go on',
  ],
  'stopAll.keeps.all': [
    '在途委托不撤，仍可能成交；持仓',
    'Orders in flight stay and may still be filled; holdings',
  ],
  'stopAll.keeps.cancel_all': ['持仓和已成交的部分', 'Holdings and what is filled'],
  'stopAll.unguarded': [
    '止盈止损也不再卖出，请自行看管持仓',
    'Protective sales stop too: watch the holdings yourself',
  ],
  'stopAll.others': [
    '不包括由其他进程运行的：{names}',
    'Not those that other processes run: {names}',
  ],
  'stopAll.done': ['{n} 个账户已全部执行', 'All {n} accounts have done it'],
  'stopAll.partly': [
    '没有全部完成：{done} 个完成，{missing} 个没有。可以再试，已完成的不受影响。',
    'Not all have done it: {done} have, {missing} have not. Try again: those that have are not touched.',
  ],
  'stopAll.result.done': ['已执行', 'Done'],
  'stopAll.result.failed': ['失败', 'Failed'],
  'stopAll.result.unreachable': [
    '没有应答，是否生效未知',
    'No answer: whether it did is not known',
  ],
  'stopAll.again': ['对未完成的再试一次', 'Try those again'],
} as const
