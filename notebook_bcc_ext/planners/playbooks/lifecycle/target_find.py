distinct = df.drop_duplicates()  # a model must not be tested on rows that it has learnt


def task_of(name):
    """What predicting this column would be; None when it cannot be done."""
    known = distinct[name].dropna()
    classes = known.value_counts()
    few_numbers = kinds[name] == "number" and len(classes) <= 10 and (known % 1 == 0).all()
    if len(known) < 40 or kinds[name] not in ("number", "category", "boolean"):
        return None
    if few_numbers or kinds[name] != "number":
        return "classification" if 2 <= (classes >= 10).sum() and len(classes) <= 30 else None
    return "regression"


wanted = {{ target }}
likely = ["target", "label", "class", "outcome", "y", "price", "saleprice", "survived", "churn",
          "default", "income", "salary", "quality", "目标", "标签", "类别", "价格", "结果"]
by_name = {str(name).strip().lower(): name for name in df}
tasks = {name: task_of(name) for name in df}
possible = [name for name in df if tasks[name]]
if wanted:
    target_column = by_name.get(str(wanted).strip().lower())
else:
    target_column = next((by_name[name] for name in likely if by_name.get(name) in possible), None)
    target_column = target_column or (possible[-1] if possible else None)
task = tasks.get(target_column)
usable = ("number", "category", "boolean", "date")
features = [name for name in df if name != target_column and name not in twins
            and kinds[name] in usable and df[name].isna().mean() < 0.95]
