@{{ name.report }}.run
def {{ name.report }}(report):
    import re

    # Words that mean the same thing, in questions and in column names.
    meanings = [set(words.split()) for words in (
        "leave leaving left quit churn attrition cancel exit lose lost retain retention stay "
        "流失 离开 离职 离网 退订 留存",
        "price fee cost charge expensive cheap rent 价格 房价 单价 费用 月费 收费 租金 成本",
        "sale sell sold revenue turnover 销售 销量 营收 营业额",
        "income salary wage earn earning 收入 工资 薪资 薪水 薪酬",
        "satisfied satisfaction happy unhappy rating review 满意 评分 评价",
        "default overdue repay 违约 逾期",
        "fraud scam 欺诈 诈骗",
        "survive survival survived die death dead mortality 存活 生存 幸存 死亡",
        "buy bought purchase convert conversion subscribe 购买 转化 订阅 下单",
        "fail failure defect fault broken 故障 失效 缺陷 不合格",
        "late delay 延误 延迟 晚点 迟到",
        "disease sick ill illness diagnosis 患病 疾病 诊断",
        "quality grade 质量 品质 等级 成绩",
        "use usage consume consumption 使用 用量 消耗",
        "click 点击",
        "risk 风险",
    )]
    everyday = set("a an and any are as at be but by can do does for from has have how i if in is "
                   "it me my no not of on or our so the than that their them they this to us was "
                   "we what when where which who why will with you".split())
    too_common = set("code count data date day id key month name number time total type value "
                     "week year".split())

    def stem(word):
        return re.sub(r"(?<=\w{3})(ies|ing|ed|es|e|d|s)$", "", word)

    def words_of(text):
        """The words of a text or a name with their places: `monthly_fee`, `MonthlyFee`."""
        text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(text))
        found = re.finditer(r"[^\W_\u2e80-\uffff]+|[\u2e80-\uffff]+", text)
        return [(one.start(), one[0].lower()) for one in found]

    def is_chinese(word):
        return word > "\u2e7f"

    def places_of_name(name):
        """Where the question names this column in full."""
        wanted = [stem(word) for _, word in words_of(name)]
        if not wanted or wanted == [""] or (len(wanted) == 1 and str(name).lower() in everyday):
            return
        if any(map(is_chinese, wanted)):
            at = goal.lower().find(str(name).strip().lower())
            if at >= 0 and len(str(name).strip()) > 1:
                yield at, str(name)
            return
        stems = [stem(word) for _, word in asked]
        for i in range(len(asked) - len(wanted) + 1):
            if stems[i:i + len(wanted)] == wanted:
                yield asked[i][0], str(name)

    def in_text(meaning, words):
        """Where one of the words of that meaning occurs."""
        for at, word in words:
            for one in meaning:
                if is_chinese(one):
                    if one in word:
                        yield at + word.index(one), one
                elif stem(word) == stem(one):
                    yield at, word

    def mentions():
        """(how plainly, place in the question, its word, column), for all columns."""
        for name in df:
            own = words_of(name)
            for at, word in places_of_name(name):
                yield 3, at, word, name
            for meaning in meanings:
                if any(in_text(meaning, own)):
                    for at, word in in_text(meaning, asked):
                        yield 2, at, word, name
            stems = {stem(word) for _, word in own if len(word) > 2 and word not in too_common}
            for at, word in asked:
                if word not in everyday and stem(word) in stems:
                    yield 1, at, word, name

    def best_mention(found):
        """`What drives Y?`, `How does X affect Y?`, `Y depends on X`: each time it is Y."""
        drives = re.search(r"affect|drive|influenc|determin|decid|explain|impact|caus|lead|predict|"
                           r"影响|决定|导致|预测|解释|驱动", goal, re.I)
        driven = re.search(r"depend|取决于|由.*决定|受.*影响", goal, re.I)
        if driven:
            found = [one for one in found if one[1] < driven.start()] or found
        elif drives:
            found = [one for one in found if one[1] > drives.start()] or found
        return max(found, key=lambda one: (one[0], -one[1]), default=None)

    df, kinds, facts = report.df, report.kinds, report.facts
    goal = {{ goal }} or ""
    wanted = {{ target }}
    asked = words_of(goal)
    by_name = {str(name).strip().lower(): name for name in df}
    analysable = report.columns("number", "category", "boolean")
    report.target, report.problem = None, None
    source, word, named = "none", None, None
    if wanted:
        source, named = "given", by_name.get(str(wanted).strip().lower())
    elif goal:
        found = list(mentions())
        best = best_mention([one for one in found if one[3] in analysable])
        named_in_full = best_mention([one for one in found if one[0] == 3])
        if best is None or (named_in_full and best[0] < 3):
            best = named_in_full
        if best:
            source, word, named = ("part", "meaning", "named")[best[0] - 1], best[2], best[3]
    if source == "none":
        usual = ("target", "label", "class", "outcome", "y", "price", "saleprice", "survived",
                 "churn", "churned", "default", "income", "salary", "quality",
                 "目标", "标签", "类别", "价格", "结果")
        distinct = df.drop_duplicates()
        likely = [name for name in analysable if kinds[name] == "number"
                  or (distinct[name].value_counts() >= 10).sum() >= 2] or analysable
        named = next((by_name[one] for one in usual if by_name.get(one) in likely), None)
        named = named if named is not None else next(reversed(likely), None)

    known = df[named].dropna() if named is not None else ()
    if wanted and named is None:
        report.problem = {{ f.unknown_target }}
    elif named is None:
        report.problem = {{ f.no_target }}
    elif named not in analysable:
        report.problem = {{ f.bad_target }}
    elif len(known) < 20:
        report.problem = {{ f.few_rows }}
    elif kinds[named] != "number" and known.nunique() > 30:
        report.problem = {{ f.many_values }}
    else:
        report.target = named
    facts["target_found"] = report.target is not None
    facts["answered"] = bool(report.target is not None and (source != "none"))
    if report.target is not None:
        facts["target"] = str(named)[:30]

    choice = {
        "given": {{ f.given }}, "named": {{ f.named }}, "meaning": {{ f.meaning }},
        "part": {{ f.part }}, "none": {{ f.assumed }},
    }[source] if named is not None else None
    if report.problem:
        notes = [{{ f.not_answered }} if goal else report.problem]
    elif goal and source == "none":
        notes = [{{ f.not_recognised }}, choice]
    else:
        notes = [choice]
    report.choice, report.answer = notes, []
    if report.problem:
        report.show_first(*notes)
    report.say(*notes)
