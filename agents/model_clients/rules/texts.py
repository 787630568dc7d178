"""The sentences of the offline model, each in English and Chinese."""

from typing import NamedTuple


class Both(NamedTuple):
    english: str
    chinese: str


CONNECT_EN = (
    "To connect a real model, set GATEHOUSE_MODEL (for example `openai/gpt-…` or `ollama/…`), "
    "GATEHOUSE_MODEL_BASE_URL and GATEHOUSE_MODEL_API_KEY in the environment and restart, or add a "
    "model profile in the admin and choose it for this agent."
)
CONNECT_ZH = (
    "要连接真正的模型：在环境变量中设置 GATEHOUSE_MODEL（例如 `openai/gpt-…` 或 `ollama/…`）、"
    "GATEHOUSE_MODEL_BASE_URL 和 GATEHOUSE_MODEL_API_KEY"
    " 后重启，或在管理控制台添加模型配置并分配给这个 Agent。"
)

TEXTS: dict[str, Both] = {
    "help": Both(
        "I am the offline model: I follow fixed rules and understand a few kinds of requests. "
        "With tools on I can\n\n"
        "- calculate: “what is 12.5% of 80?”\n"
        "- tell times and dates: “what time is it in Tokyo?”, “what date is next Monday?”\n"
        "- fetch a page: “fetch https://example.com and save it as a document called Notes”\n"
        "- keep documents: “list my documents”, “read the document Notes”, "
        "“search my documents for tax”, “delete the document Notes”\n"
        "- remember: “remember that my favourite colour is green”, “what is my favourite"
        " colour?”\n"
        "- look into the knowledge: “what does the handbook say about leave?”, “send me the file "
        "Handbook”\n\n" + CONNECT_EN,
        "我是离线模型：只按固定规则工作，能听懂几类请求。打开工具后，我可以\n\n"
        "- 计算：“80的12.5%是多少？”\n"
        "- 查时间和日期：“东京现在几点？”“下周一是几号？”\n"
        "- 抓取网页：“抓取 https://example.com 并保存为文档叫笔记”\n"
        "- 管理文档：“列出我的文档”“读取文档笔记”“在我的文档里搜索税”“删除文档笔记”\n"
        "- 记忆：“记住我最喜欢的颜色是绿色”“我最喜欢的颜色是什么？”\n"
        "- 查知识库：“知识库里年假怎么说？”“把手册文件给我”\n\n" + CONNECT_ZH,
    ),
    "skill_memories": Both("This is what I remember:", "这是我记得的："),
    "skill_no_memories": Both(
        "I don't recall that. Tell me again, please.", "我想不起确切的信息了，请再告诉我一次。"
    ),
    "skill_waits": Both(
        "That waits for your confirmation; nothing was read yet.",
        "这件事在等你确认，目前还没有读取任何内容。",
    ),
    "skill_failed": Both(
        "That did not work this time, so I have nothing to go by.",
        "这次没有成功，所以我没有可以依据的信息。",
    ),
    "skill_unfollowed": Both(
        "A skill says how to answer this, and I am the offline model: I follow fixed commands and "
        "can't do it. It works as soon as your operator sets a language model.",
        "有一个技能规定了该怎么回答，而我是离线模型，只会执行固定的命令，做不到。"
        "请管理员配置一个语言模型后再试。",
    ),
    "tools_off": Both(
        "That needs tools, and tools are switched off in this conversation. Switch “Tools” on and "
        "ask again. I am the offline model.",
        "这需要使用工具，而本次对话没有打开工具。请打开“工具”后再问一次。我是离线模型。",
    ),
    "no_tool": Both(
        "That needs a tool of type `{type}`, and this agent has none. An operator can enable one "
        "for this agent in the admin. I am the offline model.",
        "这需要类型为 `{type}`"
        " 的工具，而这个 Agent 没有。管理员可以在管理控制台为它启用。我是离线模型。",
    ),
    "limit": Both(
        "I have used all the steps of this turn, so the rest was not done. Ask for it in a new"
        " message.",
        "这一轮的步骤已经用完，其余的没有做。请在新消息里再说一次。",
    ),
    "lost": Both(
        "A result is missing from this turn, so I stop here rather than guess.",
        "这一轮缺少一个结果，我不猜测，到此为止。",
    ),
    "missing_value": Both(
        "The tool's result has no `{name}`, so I stop here.",
        "工具的结果里没有 `{name}`，到此为止。",
    ),
    "rest_not_done": Both("The rest of your request was not done.", "其余的请求没有执行。"),
    "not_understood": Both(
        "I did not understand this part, and did nothing about it: “{text}”",
        "这一部分我没有看懂，也没有做任何事：“{text}”",
    ),
    "left_alone": Both("All right, I leave that alone.", "好的，我不会这样做。"),
    "one_at_a_time": Both(
        "I delete one document at a time: name it, for example “delete the document Notes”.",
        "我一次只删除一个文档，请说出名称，例如“删除文档笔记”。",
    ),
    "which": Both(
        "Which one? Name it, for example “delete the document Notes”.",
        "哪一个？请说出名称，例如“删除文档笔记”。",
    ),
    "no_content": Both(
        "What shall it contain? For example: “create a document called {subject} with the content"
        " …”",
        "内容是什么？例如：“新建一个文档叫{subject}，内容是……”",
    ),
    "nothing_before": Both(
        "There is nothing to work on in this message. Name it there, for example “fetch "
        "https://example.com and save it as a document called Notes”.",
        "这条消息里没有可以处理的内容。请一并说明，例如“抓取 https://example.com"
        " 并保存为文档叫笔记”。",
    ),
    "dismissed": Both("Nothing was done: you declined it.", "没有执行：你已取消。"),
    "answered": Both(
        "Nothing was done. You answered: “{message}” As the offline model I don't understand that; "
        "say in other words what you want.",
        "没有执行。你的回复是：“{message}”我是离线模型，没有听懂，请换个说法告诉我你想做什么。",
    ),
    "expired": Both("Nothing was done: the confirmation expired.", "没有执行：确认已过期。"),
    "cancelled": Both("Nothing was done: it was cancelled.", "没有执行：运行已停止。"),
    "outcome_unknown": Both(
        "I can't say whether it was done, and do not repeat it. {message}",
        "无法确定是否已经执行，我不会重复。{message}",
    ),
    "days": Both("days", "天"),
    "weeks": Both("weeks", "周"),
    "months": Both("months", "个月"),
    "years": Both("years", "年"),
    "failed": Both(
        "The tool `{type}` did not succeed: {message}",
        "工具 `{type}` 没有成功：{message}",
    ),
    "fetched": Both("I fetched {url} (status {status}).", "已抓取 {url}（状态 {status}）。"),
    "fetched_empty": Both("It holds no text.", "页面没有文字。"),
    "begins": Both("It begins:", "开头是："),
    "bad_status": Both(
        "{url} answered with status {status}, so I did not go on.",
        "{url} 返回状态 {status}，因此没有继续。",
    ),
    "cannot_summarise": Both(
        "As the offline model I can't summarise or explain text. This is how it begins:",
        "我是离线模型，无法总结或解释文字。开头如下：",
    ),
    "sum": Both("{shown} = {result}", "{shown} = {result}"),
    "now_time": Both(
        "It is {time} on {date}{place} ({zone}).",
        "{place}现在是{date} {time}（{zone}）。",
    ),
    "now_date": Both("Today is {date}{place} ({zone}).", "{place}今天是{date}（{zone}）。"),
    "in_place": Both(" in {place}", "{place}"),
    "date_of": Both("{phrase}: {date}.", "{phrase}是{date}。"),
    "weekday": Both("{date} is a {weekday}.", "{date}是{weekday}。"),
    "iso_week": Both("{date} is in ISO week {week}.", "{date}的 ISO 周是 {week}。"),
    "today": Both("Today", "今天"),
    "days_between": Both(
        "From {first} to {last}: {days} days.",
        "从 {first} 到 {last}：{days} 天。",
    ),
    "converted": Both(
        "{first} ({from_zone}) is {last} ({to_zone}).",
        "{first}（{from_zone}）是{last}（{to_zone}）。",
    ),
    "unknown_place": Both(
        "I don't know the time zone of “{place}”. Name a big city or an IANA zone such as "
        "Europe/London.",
        "我不知道“{place}”的时区。请说一个大城市或 IANA 时区，例如 Asia/Shanghai。",
    ),
    "no_time_of_day": Both(
        "Name a time of day as well, such as 12:00.",
        "请同时说出时刻，例如 12:00。",
    ),
    "saved": Both("Saved as the {kind} [{title}]({link}).", "已保存为{kind}[{title}]({link})。"),
    "remembered": Both("I remember it: [{title}]({link}).", "记住了：[{title}]({link})。"),
    "remembered_pending": Both(
        "It waits for an operator, who decides whether everybody in the project may know it: "
        "[{title}]({link}).",
        "已提交，等管理员决定是否让项目里的所有人知道：[{title}]({link})。",
    ),
    "known_already": Both(
        "I remember that already, so nothing was written.", "这个我已经记住了，没有再写一遍。"
    ),
    "known": Both(
        "I remember that already: [{title}]({link}).", "这个我已经记住了：[{title}]({link})。"
    ),
    "deleted": Both("Deleted: {title}.", "已删除：{title}。"),
    "updated": Both("Updated: [{title}]({link}).", "已更新：[{title}]({link})。"),
    "too_long_to_append": Both(
        "{title} is too long for me to append to; nothing was changed.",
        "{title} 太长，我无法追加；没有改动。",
    ),
    "none_called": Both(
        "I found no {kind} called “{title}”; nothing was done.",
        "没有找到名为“{title}”的{kind}，没有执行任何操作。",
    ),
    "near": Both("Similar titles:", "相近的标题："),
    "several": Both(
        "Several match. Say which one, for example “{example}”:",
        "有多个匹配。请说明是哪一个，例如“{example}”：",
    ),
    "too_many": Both(
        "Too many documents match for me to be sure. Name it by its id, for example “{example}”:",
        "匹配的文档太多，无法确定。请用编号说明，例如“{example}”：",
    ),
    "example": Both("document {title} #{short_id}", "文档 {title} #{short_id}"),
    "listed": Both("You have {total} ({shown} shown):", "共 {total} 个（显示 {shown} 个）："),
    "list_empty": Both("You have no {kind} yet.", "还没有{kind}。"),
    "more_pages": Both(
        "For more: “list my {kinds}, page {page}”.",
        "更多：“列出我的{kinds}，第{page}页”。",
    ),
    "found": Both("“{query}” is found in {total}:", "“{query}”出现在 {total} 个结果里："),
    "found_none": Both("I found nothing for “{query}”.", "没有找到“{query}”。"),
    "recalled": Both("This is what I have kept:", "我记下的是："),
    "recalled_none": Both(
        "I have kept nothing about “{topic}”. Tell me: “remember that …”.",
        "关于“{topic}”我没有记下任何内容。可以说：“记住……”。",
    ),
    "recalled_nothing": Both(
        "I have kept nothing yet. Tell me: “remember that …”.",
        "还没有记下任何内容。可以说：“记住……”。",
    ),
    "evidence": Both("This is what the files say:", "文件里是这样说的："),
    "no_evidence": Both(
        "I found nothing about that in the files of the knowledge that you may read, so I don't "
        "answer it.",
        "在你可以阅读的知识库文件里没有找到相关内容，所以我不作回答。",
    ),
    "place_page": Both("{title}, p. {page}", "{title}，第 {page} 页"),
    "place_heading": Both("{title}, {heading}", "{title}，{heading}"),
    "file": Both("Here it is:", "在这里："),
    "file_line": Both(
        "{file} ({name}, {space}): {download}", "{file}（{name}，{space}）：{download}"
    ),
    "download": Both("download", "下载"),
    "which_file": Both("Several files fit. Which one do you mean?", "有几份文件符合，你要哪一份？"),
    "no_file": Both(
        "I found no such file among those of the knowledge that you may read.",
        "在你可以阅读的知识库文件里没有找到这份文件。",
    ),
    "no_earlier_file": Both(
        "No file has come up in this conversation that you may read now. Name it, for example "
        "“send me the file Handbook”.",
        "这次对话里还没有提到过你可以阅读的文件。请说出名称，例如“把手册文件给我”。",
    ),
    "cut": Both(
        "(The text goes on: {length} characters in all.)",
        "（内容未完，共 {length} 个字符。）",
    ),
    "document": Both("document", "文档"),
    "memory": Both("memory", "记忆"),
    "documents": Both("documents", "文档"),
    "memories": Both("memories", "记忆"),
}


def says_tools_are_off(text: str) -> bool:
    return text in TEXTS["tools_off"]
