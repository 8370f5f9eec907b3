-- The name of the product in the order. It never changes, and with it a search of reports reads neither items nor lines.
ALTER TABLE problem_reports ADD COLUMN product_name text NOT NULL DEFAULT '';
UPDATE problem_reports SET product_name = order_lines.name
FROM items JOIN order_lines ON order_lines.id = items.order_line_id WHERE items.id = item_id;

-- A trigger, because a process of the version before, which still runs during the upgrade, does not know the column.
CREATE FUNCTION name_reported_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT name INTO NEW.product_name FROM items JOIN order_lines ON order_lines.id = order_line_id WHERE items.id = NEW.item_id;
  RETURN NEW;
END $$;
CREATE TRIGGER name_reported_product BEFORE INSERT ON problem_reports FOR EACH ROW EXECUTE FUNCTION name_reported_product();
